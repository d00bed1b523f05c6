import { BoundedMap, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { WorkflowSummary } from '../../workflows/contract.ts';
import type { HandlerMatches } from '../contract.ts';
import type { HandlerConditions } from '../domain/decision.ts';
import { PatternIndex } from '../domain/patterns.ts';
import { readPatterns } from '../store/handlers.ts';
import { readVersion } from '../store/versions.ts';

/** What matching needs of a handler. Its workflow stays in the database. */
export interface RegisteredHandler extends HandlerConditions {
  name: string;
}

interface CachedIndex {
  version: number;
  index: PatternIndex<RegisteredHandler>;
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

  async indexOf(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<RegisteredHandler>> {
    const { project_id } = scope;
    const version = await tx.cached(`handlers.version ${project_id}`, ['handlers_versions'], () =>
      readVersion(tx, scope),
    );
    const in_transaction = this.#transaction_reads.get(tx) ?? new Map<string, CachedIndex>();
    for (const cached of [this.#cache.get(project_id), in_transaction.get(project_id)])
      if (cached?.version === version) return cached.index;
    const index = version === 0 ? new PatternIndex<RegisteredHandler>() : await load(tx, scope);
    this.#transaction_reads.set(tx, in_transaction.set(project_id, { version, index }));
    tx.afterCommit(() => this.#cache.set(project_id, { version, index }));
    return index;
  }
}

async function load(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<RegisteredHandler>> {
  const index = new PatternIndex<RegisteredHandler>();
  for (const { name, patterns, predicate, about } of await readPatterns(tx, scope)) {
    const { credentials = {} } = JSON.parse(about) as WorkflowSummary;
    index.add(JSON.parse(patterns) as string[], { name, predicate, credential_variables: Object.keys(credentials) });
  }
  return index;
}
