/** The tools of the knowledge domain. */
export { deleteItem } from './tools/delete.ts';
export { history } from './tools/history.ts';
export { query } from './tools/query.ts';
export { queryGraph } from './tools/query-graph.ts';
export { relate } from './tools/relate.ts';
export { store } from './tools/store.ts';
export { undo } from './tools/undo.ts';
export { update } from './tools/update.ts';
