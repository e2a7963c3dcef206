/** Answers that stay open for news, not for a result: nothing is lost when a stopping server ends them. */
import type { ServerResponse } from 'node:http';

const open = new WeakSet<ServerResponse>();

export const isLongLived = (res: ServerResponse): boolean => open.has(res);
export const markLongLived = (res: ServerResponse): void => void open.add(res);
