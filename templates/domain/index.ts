/** The {{name}} domain with its tools, sample data and SQL files. */
import { domain } from './domain.ts';
import { {{name}}Sample } from './sample/index.ts';
import { getItem } from './tools/get-item.ts';
import { listItems } from './tools/list-items.ts';
import { renameItem } from './tools/rename-item.ts';

export const {{name}} = domain.install({ tools: [listItems, getItem, renameItem], sample: {{name}}Sample });
