/** What hiring and changing a job have in common: errors, inputs and examples. */
import { gradeNotFound, outsideBand } from './pay.ts';
import { emailTaken } from './rules.ts';
import { departmentNotFound, employeeNotFound, gradeName, outsideBandReason } from './schemas.ts';

export const jobErrors = {
  EMPLOYEE_NOT_FOUND: employeeNotFound,
  DEPARTMENT_NOT_FOUND: departmentNotFound,
  GRADE_NOT_FOUND: gradeNotFound,
  EMAIL_TAKEN: emailTaken,
  OUTSIDE_BAND: outsideBand,
};

export const nothingToChange = { message: 'The employee already has these values.', hint: 'Name at least one field with a new value.' };

export const gradeInputs = {
  grade: gradeName.optional().describe('Grade, such as G3, which has a salary band'),
  outside_band_reason: outsideBandReason,
};

/** The input of an example that hires somebody. `boss` is the last digit of the manager's id. */
export const hiring = (
  name: string,
  [job_title, department, location, salary]: readonly [string, string, string, number],
  boss: number,
) => {
  const [first_name = '', last_name = ''] = name.split(' ');
  const email = `${first_name}.${last_name}@tamshai.example`.toLowerCase();
  return {
    first_name,
    last_name,
    email,
    reports_to: `0e000000-0000-4000-8000-00000000000${boss}`,
    job_title,
    department,
    location,
    salary,
  };
};
