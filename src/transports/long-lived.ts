/** Marks responses that stay open to stream changes. A server that stops may end them, because they lose no result. */
import type { ServerResponse } from 'node:http';

const open = new WeakSet<ServerResponse>();

export const isLongLived = (res: ServerResponse): boolean => open.has(res);
export const markLongLived = (res: ServerResponse): void => void open.add(res);
