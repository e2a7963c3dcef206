/** The contract suite: test cases for every tool, resource and prompt of a configuration. It derives them from the declarations. */
import { systemPerson } from '../declare/people.ts';
import type { AnyDomain } from '../declare/tool.ts';
import type { Registry } from '../engine/registry.ts';
import { analysisCases } from './contract/analyses.ts';
import { catalogueCases } from './contract/catalogue.ts';
import { declarationCases } from './contract/declarations.ts';
import { exampleCases } from './contract/examples.ts';
import { ensure, ensureNone } from './contract/expect.ts';
import { inputCases } from './contract/inputs.ts';
import { filterCases } from './contract/filters.ts';
import { listCases } from './contract/lists.ts';
import { maskCases } from './contract/masks.ts';
import { resourceCases } from './contract/resources.ts';
import { rightsCases } from './contract/rights.ts';
import { roleCases } from './contract/roles.ts';
import { rowCases } from './contract/rows.ts';
import { type ContractCase, createSubject, type Subject } from './contract/subject.ts';
import { writeCases } from './contract/writes.ts';
import { registryFor, type TestConfig } from './test-config.ts';
import { openTestServer, type TestServer } from './test-server.ts';

export interface ContractOptions {
  /** `describe` and `it` of vitest, jest or node:test. Without them, call the returned cases yourself. */
  readonly describe?: (name: string, body: () => void) => unknown;
  readonly it?: (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;
  /** Closes the test server after all cases. Without it, the last case closes it. */
  readonly afterAll?: (body: () => Promise<void>) => unknown;
  /** Tests only the tools, resources and prompts of these domains. The default is all domains. */
  readonly domains?: readonly string[];
  /** True writes rights.md of every domain again. The suite always writes a missing file. */
  readonly update?: boolean;
  /** Opens the server to test. The default is a server with embedded stores and the sample data. */
  readonly openServer?: () => Promise<TestServer>;
  /** Tables that background work changes, such as `finance.people`. The checks of writes ignore them. */
  readonly ignoredTables?: readonly string[];
}

export interface ContractSuite {
  readonly cases: readonly ContractCase[];
  close(): Promise<void>;
}

/** The first case starts the server, and one case can call a tool hundreds of times. */
const TIMEOUT_MS = 180_000;

export function contractSuite(config: TestConfig, options: ContractOptions = {}): ContractSuite {
  return suiteOf(registryFor(config), { openServer: () => openTestServer(config), ...options });
}

export function suiteOf(registry: Registry, options: ContractOptions & Pick<Required<ContractOptions>, 'openServer'>): ContractSuite {
  const { describe, it, afterAll, domains, update = false, openServer, ignoredTables = [] } = options;
  const subject = createSubject(domains === undefined ? registry : onlyOf(registry, domains), openServer, ignoredTables);
  const cases: ContractCase[] = [
    ...declarationCases(subject),
    ...catalogueCases(subject),
    ...rightsCases(subject, { update }),
    ...exampleCases(subject),
    ...roleCases(subject),
    ...maskCases(subject),
    ...rowCases(subject),
    ...listCases(subject),
    ...filterCases(subject),
    ...analysisCases(subject),
    ...resourceCases(subject),
    ...inputCases(subject),
    ...writeCases(subject),
    { name: 'the audit log verifies, and the server logged no error', run: () => checkEnd(subject) },
  ];
  const close = () => subject.close();
  if (describe !== undefined && it !== undefined)
    describe('contract', () => {
      for (const { name, run } of cases) it(name, run, TIMEOUT_MS);
      if (afterAll === undefined) it('the test server stops', close, TIMEOUT_MS);
      else afterAll(close);
    });
  return { cases, close };
}

/** Returns the registry with some domains only. The server still serves all of them. */
function onlyOf(registry: Registry, names: readonly string[]): Registry {
  const unknown = names.find((name) => !registry.domains.some((domain) => domain.name === name));
  if (unknown !== undefined) throw new Error(`The configuration has no domain ${unknown}.`);
  const isCovered = ({ domain }: { readonly domain: AnyDomain }) => names.includes(domain.name);
  return {
    ...registry,
    domains: registry.domains.filter(({ name }) => names.includes(name)),
    tools: registry.tools.filter(isCovered),
    resources: registry.resources.filter(isCovered),
    prompts: registry.prompts.filter(isCovered),
    feeds: registry.feeds.filter(isCovered),
  };
}

async function checkEnd(subject: Subject): Promise<void> {
  const { server } = await subject.open();
  const { verdict } = await server.tamshai.modules.audit.part(systemPerson('executive'), { what: 'verify' });
  ensure(verdict?.ok === true, `The audit log does not verify: ${JSON.stringify(verdict)}.`);
  ensureNone(
    server.logged.filter((line) => line.includes('"level":"error"')).map((line) => `The server logged an error: ${line.slice(0, 500)}`),
  );
}
