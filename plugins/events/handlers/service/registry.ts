import { BoundedMap, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { HandlerMatches } from '../contract.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { FlowOptions } from '../contract/flow-options.ts';
import { flowOptionsOf, type HandlerSummary } from './definitions.ts';
import type { HandlerConditions } from '../domain/decision.ts';
import { PatternIndex } from '../domain/patterns.ts';
import { readPatterns } from '../store/handlers.ts';
import { readVersion } from '../store/versions.ts';

/** What matching needs of a handler. Its workflow stays in the database. */
export interface RegisteredHandler extends HandlerConditions {
  name: string;
  /** When and how often its events start runs. */
  options: FlowOptions | undefined;
}

interface CachedIndex {
  version: number;
  index: PatternIndex<RegisteredHandler>;
  /** The options of the handlers that have any, by name. */
  options: ReadonlyMap<string, FlowOptions>;
  /** The retry policies of the handlers that have one, by name. */
  retries: ReadonlyMap<string, RetryPolicy>;
}

const MAX_PROJECTS = 500;

/**
 * Caches a project's handlers by a version that every change increments. It is read under the project's lock, so the
 * cache is right for the event at hand.
 */
export class Registry implements HandlerMatches {
  readonly #cache = new BoundedMap<string, CachedIndex>(MAX_PROJECTS);
  /** What open transactions have read, which may include a change that is never committed. */
  readonly #transaction_reads = new WeakMap<Transaction, Map<string, CachedIndex>>();

  async listMatching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]> {
    return (await this.indexOf(tx, scope)).match(type).map(({ name }) => name);
  }

  /** Returns the handlers as this process last read them; they may have changed since. */
  lastRead({ project_id }: ProjectScope): PatternIndex<RegisteredHandler> {
    return this.#cache.get(project_id)?.index ?? new PatternIndex<RegisteredHandler>();
  }

  /** Whether a handler has options, as this transaction or, before, this process has read it. */
  hasOptions(tx: Transaction, { project_id }: ProjectScope): boolean {
    const read = this.#transaction_reads.get(tx)?.get(project_id) ?? this.#cache.get(project_id);
    return read !== undefined && read.options.size > 0;
  }

  /** Returns the options of the handlers that have any, by name. */
  async optionsOf(tx: Transaction, scope: ProjectScope): Promise<ReadonlyMap<string, FlowOptions>> {
    return (await this.#read(tx, scope)).options;
  }

  /** Returns the retry policies of the handlers that have one, by name. */
  async retriesOf(tx: Transaction, scope: ProjectScope): Promise<ReadonlyMap<string, RetryPolicy>> {
    return (await this.#read(tx, scope)).retries;
  }

  /** Whether retries of a handler may have to wait for its limit of concurrency. */
  async limitsRetries(tx: Transaction, scope: ProjectScope): Promise<boolean> {
    const { options, retries } = await this.#read(tx, scope);
    return [...retries.keys()].some((name) => options.get(name)?.concurrency !== undefined);
  }

  async indexOf(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<RegisteredHandler>> {
    return (await this.#read(tx, scope)).index;
  }

  async #read(tx: Transaction, scope: ProjectScope): Promise<CachedIndex> {
    const { project_id } = scope;
    const version = await tx.cached(`handlers.version ${project_id}`, ['handlers_versions'], () =>
      readVersion(tx, scope),
    );
    const in_transaction = this.#transaction_reads.get(tx) ?? new Map<string, CachedIndex>();
    for (const cached of [this.#cache.get(project_id), in_transaction.get(project_id)])
      if (cached?.version === version) return cached;
    const cached = version === 0 ? { version, ...EMPTY } : { version, ...(await load(tx, scope)) };
    this.#transaction_reads.set(tx, in_transaction.set(project_id, cached));
    tx.afterCommit(() => this.#cache.set(project_id, cached));
    return cached;
  }
}

const EMPTY = {
  index: new PatternIndex<RegisteredHandler>(),
  options: new Map<string, FlowOptions>(),
  retries: new Map<string, RetryPolicy>(),
};

async function load(tx: Transaction, scope: ProjectScope): Promise<Omit<CachedIndex, 'version'>> {
  const index = new PatternIndex<RegisteredHandler>();
  const options = new Map<string, FlowOptions>();
  const retries = new Map<string, RetryPolicy>();
  for (const { name, patterns, predicate, about } of await readPatterns(tx, scope)) {
    const summary = JSON.parse(about) as HandlerSummary;
    const { credentials = {} } = summary;
    const flow = flowOptionsOf(summary);
    const credential_variables = Object.keys(credentials);
    if (flow) options.set(name, flow);
    if (summary.retry) retries.set(name, summary.retry);
    index.add(JSON.parse(patterns) as string[], { name, predicate, credential_variables, options: flow });
  }
  return { index, options, retries };
}
