/** The tools of the journey domain. */
export { getContext } from './tools/get-context.ts';
export { listPivots } from './tools/list-pivots.ts';
export { lookupAdr } from './tools/lookup-adr.ts';
export { queryFailures } from './tools/query-failures.ts';
export { searchJourney } from './tools/search-journey.ts';
