/** The registry of all domains. A new domain is added here. */
import { type Registry, createRegistry } from '../engine/registry.ts';
import type { ResourceOrPrompt } from '../declare/resources.ts';
import type { Tool } from '../declare/tool.ts';
import * as finance from '../../domains/finance/index.ts';
import * as hr from '../../domains/hr/index.ts';
import * as journey from '../../domains/journey/index.ts';
import * as journeyResources from '../../domains/journey/resources.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import * as knowledgePrompts from '../../domains/knowledge/prompts.ts';
import * as knowledgeResources from '../../domains/knowledge/resources.ts';
import * as payroll from '../../domains/payroll/index.ts';
import * as sales from '../../domains/sales/index.ts';
import * as support from '../../domains/support/index.ts';
import * as tasks from '../../domains/tasks/index.ts';
import * as tax from '../../domains/tax/index.ts';

const toolsOf = (domain: Readonly<Record<string, Tool>>): Tool[] => Object.values(domain);

/** Resources and prompts, sorted by export name: the order of a module's exports depends on the loader. */
const resourcesAndPrompts = (...parts: readonly Readonly<Record<string, ResourceOrPrompt>>[]): ResourceOrPrompt[] =>
  parts.flatMap((part) =>
    Object.entries(part)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, item]) => item),
  );

let all: Registry | undefined;
/** Built once: other modules cache what they derive from it. */
export const allTools = (): Registry =>
  (all ??= createRegistry(
    [hr, finance, sales, support, payroll, tax, tasks, knowledge, journey].flatMap((domain) => toolsOf(domain)),
    resourcesAndPrompts(knowledgeResources, knowledgePrompts, journeyResources),
  ));
