/** The built-in domains, each with its tools, resources and prompts. A configuration lists those that it serves. */
import type { Installed } from '../src/declare/install.ts';
import type { ResourceOrPrompt } from '../src/declare/resources.ts';
import { finance as financeDomain } from './finance/domain.ts';
import * as financeTools from './finance/index.ts';
import { hr as hrDomain } from './hr/domain.ts';
import * as hrTools from './hr/index.ts';
import { journey as journeyDomain } from './journey/domain.ts';
import * as journeyTools from './journey/index.ts';
import * as journeyResources from './journey/resources.ts';
import { knowledge as knowledgeDomain } from './knowledge/domain.ts';
import * as knowledgeTools from './knowledge/index.ts';
import * as knowledgeResources from './knowledge/resources.ts';
import * as knowledgePrompts from './knowledge/prompts.ts';
import { payroll as payrollDomain } from './payroll/domain.ts';
import * as payrollTools from './payroll/index.ts';
import { sales as salesDomain } from './sales/domain.ts';
import * as salesTools from './sales/index.ts';
import { support as supportDomain } from './support/domain.ts';
import * as supportTools from './support/index.ts';
import { tasks as tasksDomain } from './tasks/domain.ts';
import * as tasksTools from './tasks/index.ts';
import { tax as taxDomain } from './tax/domain.ts';
import * as taxTools from './tax/index.ts';

/** Sorted by export name within each module: the order of a module's exports depends on the loader. */
const inOrder = (...modules: readonly Readonly<Record<string, ResourceOrPrompt>>[]): ResourceOrPrompt[] =>
  modules.flatMap((module) =>
    Object.entries(module)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, item]) => item),
  );

export const hr = hrDomain.install({ tools: Object.values(hrTools) });
export const finance = financeDomain.install({ tools: Object.values(financeTools) });
export const sales = salesDomain.install({ tools: Object.values(salesTools) });
export const support = supportDomain.install({ tools: Object.values(supportTools) });
export const payroll = payrollDomain.install({ tools: Object.values(payrollTools) });
export const tax = taxDomain.install({ tools: Object.values(taxTools) });
export const tasks = tasksDomain.install({ tools: Object.values(tasksTools) });
export const knowledge = knowledgeDomain.install({
  tools: Object.values(knowledgeTools),
  resources: inOrder(knowledgeResources, knowledgePrompts),
});
export const journey = journeyDomain.install({ tools: Object.values(journeyTools), resources: inOrder(journeyResources) });

/** In the order in which tools, documents and settings list them. */
export const builtInDomains: readonly Installed[] = [hr, finance, sales, support, payroll, tax, tasks, knowledge, journey];
