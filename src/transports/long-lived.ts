/** Marks responses that stay open to stream changes. A stopping server may end them without losing a result. */
import type { ServerResponse } from 'node:http';

const open = new WeakSet<ServerResponse>();

export const isLongLived = (res: ServerResponse): boolean => open.has(res);
export const markLongLived = (res: ServerResponse): void => void open.add(res);
