/** Every domain there is. A new one is added here and nowhere else. */
import { type Registry, registry } from '../core/registry.ts';
import type { Tool } from '../core/tool.ts';
import * as hr from '../domains/hr/index.ts';
import * as tasks from '../domains/tasks/index.ts';

const toolsOf = (domain: Readonly<Record<string, Tool>>): Tool[] => Object.values(domain);

export const allTools = (): Registry => registry([...toolsOf(hr), ...toolsOf(tasks)]);
