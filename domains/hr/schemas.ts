/** Schemas shared by the hr tools: fields, rows and not-found errors. */
import { z } from 'zod';
import {
  amount,
  companyText,
  idOf,
  line,
  masked,
  prose,
  storedDay,
  storedEmail,
  storedId,
  storedTime,
  untrusted,
} from '../../src/declare/fields.ts';

export const employeeId = idOf('Employee not found: an employee id is a UUID. Find it by name with find_employees.').describe(
  'employee_id from find_employees or list_employees',
);
export const requestId = idOf('Time-off request not found: a request id is a UUID. Find it with list_team_time_off_requests.').describe(
  'request_id from list_team_time_off_requests',
);
export const namePart = line(100).min(1).describe('Any part of the name, in any order; accents and case do not matter');
export const departmentName = line(100)
  .min(1)
  .describe('Department, such as Engineering; case does not matter')
  .meta({ examples: ['Engineering', 'Finance', 'HR', 'Legal', 'Marketing', 'Operations', 'Sales', 'Support'] });

/** One error for employees who left, do not exist or are not visible: the caller must not be able to tell which. */
export const employeeNotFound = {
  message: 'Employee not found. Verify the employee ID is correct.',
  hint: 'Find the id of an active employee that you may see with find_employees or list_employees.',
};

export const gradeName = line(20).min(1);
export const outsideBandReason = prose(500)
  .min(1)
  .optional()
  .describe('Why the salary is outside the band of the grade; only needed if it is');
export const cardReason = prose(500).optional().describe('Shown on the approval card');
export const workEmail = z.email('Give an e-mail address').max(254);

export const departmentNotFound = {
  message: 'There is no such department.',
  hint: 'Give the name of a department from list_departments.',
};

export const employee = z.object({
  employee_id: storedId,
  first_name: companyText,
  last_name: companyText,
  email: storedEmail,
  department: companyText,
  job_title: companyText,
  location: companyText,
  manager_id: storedId.nullable(),
  manager_name: companyText.nullable(),
  grade: companyText.nullable().describe('Grade level, which has a salary band; null if there is none'),
  hire_date: storedDay,
  salary: masked('pay', amount),
  ssn: masked('ssn', companyText),
  phone: masked('contact', untrusted),
  home_address: masked('contact', untrusted),
  active: z.boolean(),
  created_at: storedTime,
  updated_at: storedTime,
});

export const timeOffType = z.enum(['VACATION', 'SICK', 'PERSONAL', 'BEREAVEMENT', 'JURY_DUTY', 'PARENTAL', 'UNPAID']);
export const requestStatus = z.enum(['pending', 'approved', 'rejected', 'cancelled']);

export const timeOffRequest = z.object({
  request_id: storedId,
  employee_id: storedId,
  employee_name: companyText,
  type_code: timeOffType,
  start_date: storedDay,
  end_date: storedDay,
  days: z.number().describe('Working days'),
  status: requestStatus,
  notes: untrusted.nullable(),
  approver_id: storedId.nullable(),
  approver_notes: untrusted.nullable(),
  decided_at: storedTime.nullable(),
});

export const timeOffBalance = z.object({
  type_code: timeOffType,
  type_name: companyText,
  entitlement: z.number(),
  used: z.number(),
  pending: z.number().describe('Requested, not decided yet'),
  carryover: z.number(),
  available: z.number().describe('entitlement + carryover − used − pending'),
});

export const reviewStatus = z.enum(['due', 'draft', 'submitted', 'acknowledged']);
