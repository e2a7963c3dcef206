/** The tools of the hr domain. */
export { approveTimeOffRequest } from './tools/approve-time-off-request.ts';
export { createTimeOffRequest } from './tools/create-time-off-request.ts';
export { deleteEmployee } from './tools/delete-employee.ts';
export { findEmployees } from './tools/find-employees.ts';
export { getEmployee } from './tools/get-employee.ts';
export { getHeadcount } from './tools/get-headcount.ts';
export { getOrgChart } from './tools/get-org-chart.ts';
export { getPerformanceReviews } from './tools/get-performance-reviews.ts';
export { getTimeOffBalances } from './tools/get-time-off-balances.ts';
export { listDepartments } from './tools/list-departments.ts';
export { listEmployees } from './tools/list-employees.ts';
export { listTeamTimeOffRequests } from './tools/list-team-time-off-requests.ts';
export { listTimeOffRequests } from './tools/list-time-off-requests.ts';
export { updateDepartment } from './tools/update-department.ts';
export { updateSalary } from './tools/update-salary.ts';
