/** Sample departments and offices: size, head, job titles and salaries. */
export const departmentNames = ['Engineering', 'HR', 'Finance', 'Sales', 'Support', 'Marketing', 'Operations', 'Legal'] as const;
export type DepartmentName = (typeof departmentNames)[number];

export interface Job {
  readonly title: string;
  readonly from: number;
  readonly to: number;
}
const job = (title: string, from: number, to: number): Job => ({ title, from: from * 1000, to: to * 1000 });

export interface Department {
  readonly name: DepartmentName;
  /** Share in percent. Engineering has the rest. */
  readonly share: number;
  /** Reports per manager. */
  readonly span: number;
  readonly jobs: readonly Job[];
  /** Titles of managers, from team leads upwards. */
  readonly leaders: readonly Job[];
}
const leaders = (manager: string, of: string, from: number, to: number): Job[] => [
  job(manager, from, to),
  job(`Director of ${of}`, from + 40, to + 45),
  job(`Senior Director of ${of}`, from + 75, to + 80),
  job(`Vice President, ${of}`, from + 115, to + 125),
];

export const departments: readonly Department[] = [
  {
    name: 'Engineering',
    share: 36,
    span: 9,
    leaders: leaders('Engineering Manager', 'Engineering', 150, 185),
    jobs: [
      job('Software Engineer', 95, 130),
      job('Senior Software Engineer', 130, 165),
      job('Software Engineer', 95, 130),
      job('Staff Engineer', 165, 200),
      job('QA Engineer', 80, 115),
      job('Site Reliability Engineer', 115, 155),
      job('Data Engineer', 105, 145),
      job('Product Designer', 95, 135),
      job('Security Engineer', 120, 160),
      job('Engineering Intern', 45, 55),
    ],
  },
  {
    name: 'HR',
    share: 5,
    span: 8,
    leaders: leaders('HR Manager', 'Human Resources', 105, 130),
    jobs: [
      job('Recruiter', 65, 90),
      job('HR Business Partner', 85, 115),
      job('Senior Recruiter', 85, 110),
      job('People Operations Specialist', 60, 80),
      job('Benefits Administrator', 60, 82),
      job('Learning Coordinator', 58, 78),
    ],
  },
  {
    name: 'Finance',
    share: 5,
    span: 8,
    leaders: leaders('Finance Manager', 'Finance', 115, 145),
    jobs: [
      job('Accountant', 65, 88),
      job('Financial Analyst', 75, 105),
      job('Senior Accountant', 85, 112),
      job('Accounts Payable Specialist', 52, 70),
      job('Treasury Analyst', 80, 108),
      job('Payroll Specialist', 58, 76),
    ],
  },
  {
    name: 'Sales',
    share: 16,
    span: 10,
    leaders: leaders('Sales Manager', 'Sales', 115, 150),
    jobs: [
      job('Account Executive', 80, 120),
      job('Sales Development Representative', 52, 72),
      job('Senior Account Executive', 110, 150),
      job('Solutions Consultant', 100, 140),
      job('Sales Operations Analyst', 70, 95),
    ],
  },
  {
    name: 'Support',
    share: 14,
    span: 11,
    leaders: leaders('Support Manager', 'Support', 95, 120),
    jobs: [
      job('Support Specialist', 48, 66),
      job('Support Engineer', 68, 95),
      job('Customer Success Associate', 58, 80),
      job('Senior Support Engineer', 88, 118),
      job('Technical Writer', 70, 95),
    ],
  },
  {
    name: 'Marketing',
    share: 8,
    span: 8,
    leaders: leaders('Marketing Manager', 'Marketing', 105, 135),
    jobs: [
      job('Marketing Specialist', 58, 82),
      job('Content Strategist', 65, 92),
      job('Growth Analyst', 72, 100),
      job('Events Coordinator', 52, 72),
      job('Brand Designer', 70, 98),
    ],
  },
  {
    name: 'Operations',
    share: 13,
    span: 10,
    leaders: leaders('Operations Manager', 'Operations', 95, 125),
    jobs: [
      job('Operations Analyst', 62, 88),
      job('Facilities Coordinator', 48, 66),
      job('Procurement Specialist', 60, 84),
      job('Logistics Coordinator', 50, 70),
      job('IT Support Technician', 55, 78),
      job('Program Coordinator', 65, 92),
    ],
  },
  {
    name: 'Legal',
    share: 3,
    span: 8,
    leaders: leaders('Legal Operations Manager', 'Legal Affairs', 140, 175),
    jobs: [
      job('Paralegal', 60, 82),
      job('Counsel', 125, 165),
      job('Contracts Specialist', 70, 95),
      job('Compliance Analyst', 75, 105),
      job('Senior Counsel', 160, 205),
    ],
  },
];

export interface Office {
  readonly name: string;
  /** Share in percent. */
  readonly share: number;
  readonly areas: readonly string[];
  readonly streets: readonly string[];
  readonly place: (n: number) => string;
}
const two = (n: number) => String(n % 100).padStart(2, '0');
const american = (
  'Maple Street,Cedar Avenue,Willow Lane,Juniper Drive,Birch Court,Chestnut Road,Magnolia Way,Sycamore ' +
  'Street,Larkspur Lane,Orchard Road'
).split(',');

export const offices: readonly Office[] = [
  { name: 'Austin', share: 26, areas: ['512', '737'], streets: american, place: (n) => `Austin, TX 787${two(n)}` },
  {
    name: 'Berlin',
    share: 13,
    areas: ['463', '679'],
    streets: ['Lindenweg', 'Ahornstraße', 'Birkenallee', 'Am Mühlbach', 'Kastanienring', 'Rosenweg'],
    place: (n) => `101${two(n)} Berlin`,
  },
  {
    name: 'London',
    share: 15,
    areas: ['443', '728'],
    streets: ['Elm Grove', 'Hazel Road', 'Mill Lane', 'Ivy Terrace', 'Rowan Close', 'Foxglove Walk'],
    place: (n) => `London N${1 + (n % 22)}`,
  },
  { name: 'New York', share: 18, areas: ['212', '646'], streets: american, place: (n) => `New York, NY 100${two(n)}` },
  { name: 'San Francisco', share: 18, areas: ['415', '628'], streets: american, place: (n) => `San Francisco, CA 941${two(n)}` },
  {
    name: 'Singapore',
    share: 10,
    areas: ['659', '832'],
    streets: ['Orchid Crescent', 'Frangipani Walk', 'Tembusu Road', 'Angsana Drive', 'Rain Tree Avenue'],
    place: (n) => `Singapore 5${two(n)}1${two(n >> 3)}`,
  },
];
