/** The built-in domains, each with its tools, resources and prompts. A configuration lists those that it serves. */
import type { Installed } from '../src/declare/install.ts';
import type { ResourceOrPrompt } from '../src/declare/resources.ts';
import type { SampleContext } from '../src/declare/sample.ts';
import { finance as financeDomain } from './finance/domain.ts';
import { copyOfPeople as financeCopy, ledgerOfPayRuns } from './finance/follows.ts';
import * as financeTools from './finance/index.ts';
import { hr as hrDomain } from './hr/domain.ts';
import { employmentProvision, peopleChangesProvision, salaryChangesProvision } from './hr/provides.ts';
import * as hrTools from './hr/index.ts';
import { journey as journeyDomain } from './journey/domain.ts';
import * as journeyTools from './journey/index.ts';
import * as journeyResources from './journey/resources.ts';
import { knowledge as knowledgeDomain } from './knowledge/domain.ts';
import * as knowledgeTools from './knowledge/index.ts';
import * as knowledgeResources from './knowledge/resources.ts';
import * as knowledgePrompts from './knowledge/prompts.ts';
import { knowledgeTransfer } from './knowledge/transfer.ts';
import { payroll as payrollDomain } from './payroll/domain.ts';
import { copyOfPeople as payrollCopy, copyOfSalaries } from './payroll/follows.ts';
import * as payrollTools from './payroll/index.ts';
import { payRunCostsProvision } from './payroll/provides.ts';
import { sampleCompany } from './sample-company/index.ts';
import { sales as salesDomain } from './sales/domain.ts';
import * as salesTools from './sales/index.ts';
import { support as supportDomain } from './support/domain.ts';
import { customerLeadProvision } from './support/provides.ts';
import * as supportTools from './support/index.ts';
import { tasks as tasksDomain } from './tasks/domain.ts';
import * as tasksTools from './tasks/index.ts';
import { tax as taxDomain } from './tax/domain.ts';
import * as taxTools from './tax/index.ts';

/** Sorts by export name, because the order of a module's exports depends on the loader. */
const inOrder = (...modules: readonly Readonly<Record<string, ResourceOrPrompt>>[]): ResourceOrPrompt[] =>
  modules.flatMap((module) =>
    Object.entries(module)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, item]) => item),
  );

/** For samples that refer to people of the built-in company. */
const sizeOf = ({ directory, today, settings }: SampleContext) => ({ employees: directory.size, today, settings });

// Most commands do not need sample rows, so they are imported on demand.
export const hr = hrDomain.install({
  tools: Object.values(hrTools),
  provides: [employmentProvision, peopleChangesProvision, salaryChangesProvision],
  sample: { rows: async (context) => (await import('./hr/sample/index.ts')).hrSample(context) },
});
export const finance = financeDomain.install({
  tools: Object.values(financeTools),
  follows: [financeCopy, ledgerOfPayRuns],
  sample: {
    onlyFor: sampleCompany,
    rows: async (context) => (await import('./finance/sample/index.ts')).financeSample(sizeOf(context)),
  },
});
export const sales = salesDomain.install({
  tools: Object.values(salesTools),
  sample: { onlyFor: sampleCompany, rows: async (context) => (await import('./sales/sample/index.ts')).salesSample(sizeOf(context)) },
});
export const support = supportDomain.install({
  tools: Object.values(supportTools),
  provides: [customerLeadProvision],
  sample: {
    onlyFor: sampleCompany,
    rows: async (context) => (await import('./support/sample/index.ts')).supportSample(sizeOf(context)),
  },
});
export const payroll = payrollDomain.install({
  tools: Object.values(payrollTools),
  provides: [payRunCostsProvision],
  follows: [payrollCopy, copyOfSalaries],
  sample: {
    onlyFor: sampleCompany,
    rows: async (context) => (await import('./payroll/sample/index.ts')).payrollSample(sizeOf(context)),
  },
});
export const tax = taxDomain.install({
  tools: Object.values(taxTools),
  sample: { onlyFor: sampleCompany, rows: async (context) => (await import('./tax/sample/index.ts')).taxSample(sizeOf(context)) },
});
export const tasks = tasksDomain.install({
  tools: Object.values(tasksTools),
  sample: { rows: async (context) => (await import('./tasks/sample/index.ts')).tasksSample(context) },
});
export const knowledge = knowledgeDomain.install({
  tools: Object.values(knowledgeTools),
  resources: inOrder(knowledgeResources, knowledgePrompts),
  sample: { rows: async (context) => (await import('./knowledge/sample/index.ts')).knowledgeSample(context) },
  transfer: knowledgeTransfer,
});
export const journey = journeyDomain.install({ tools: Object.values(journeyTools), resources: inOrder(journeyResources) });

export { sampleCompany };
export { financeRoles } from './finance/exports.ts';
export { hrRoles } from './hr/exports.ts';
export { payrollRoles } from './payroll/exports.ts';
export { salesRoles } from './sales/exports.ts';
export { supportRoles } from './support/exports.ts';
export { taxRoles } from './tax/exports.ts';

/** The order in tool lists, documents and settings. */
export const builtInDomains: readonly Installed[] = [hr, finance, sales, support, payroll, tax, tasks, knowledge, journey];
