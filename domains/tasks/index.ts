/** The tools of the tasks domain. */
export { addTask } from './tools/add-task.ts';
export { completeTask } from './tools/complete-task.ts';
export { deleteTask } from './tools/delete-task.ts';
export { listTasks } from './tools/list-tasks.ts';
export { updateTask } from './tools/update-task.ts';
