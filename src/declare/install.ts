/** Installs a domain: its tools, resources, contracts, sample data and transfer, as a configuration lists them. */
import type { Follower, Provision } from './provisions.ts';
import type { ResourceOrPrompt } from './resources.ts';
import type { Sample } from './sample.ts';
import type { AnyDomain, Tool } from './tool.ts';
import type { Transfer } from './transfer.ts';

export interface Installed {
  readonly kind: 'installed';
  readonly domain: AnyDomain;
  readonly tools: readonly Tool[];
  readonly resources: readonly ResourceOrPrompt[];
  readonly provides: readonly Provision[];
  readonly follows: readonly Follower[];
  readonly sample: Sample | undefined;
  readonly transfer: Transfer | undefined;
}

export interface Parts {
  readonly tools: readonly Tool[];
  /** Resources, prompts and change feeds. */
  readonly resources?: readonly ResourceOrPrompt[];
  /** The contracts that the domain provides, made with `domain.provide`. */
  readonly provides?: readonly Provision[];
  /** The change feeds that keep the domain's copies up to date, made with `domain.follow`. */
  readonly follows?: readonly Follower[];
  /** The rows that this domain has in a sample company. */
  readonly sample?: Sample;
  /** The operator's commands `tamshai <domain> export` and `import`. Only on SQL. */
  readonly transfer?: Transfer;
}

/** A tool of another domain would run with that domain's audiences, so the start refuses it. */
export function installDomain(domain: AnyDomain, parts: Parts): Installed {
  const { tools, resources = [], provides = [], follows = [], sample, transfer } = parts;
  const foreign = [...tools, ...resources, ...provides, ...follows].find((part) => part.domain !== domain);
  if (foreign) throw new Error(`${domain.name}: install() lists a ${foreign.kind} of the domain ${foreign.domain.name}`);
  return { kind: 'installed', domain, tools, resources, provides, follows, sample, transfer };
}
