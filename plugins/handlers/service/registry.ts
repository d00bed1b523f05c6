import { BoundedMap, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { WorkflowAbout } from '../../workflows/contract.ts';
import type { HandlerMatches } from '../contract.ts';
import type { Judged } from '../domain/verdict.ts';
import { PatternIndex } from '../domain/patterns.ts';
import { readPatterns } from '../store/handlers.ts';
import { readVersion } from '../store/versions.ts';

/** A handler as matching sees it. Its document stays in the database. */
export interface Registered extends Judged {
  name: string;
}

interface Known {
  version: number;
  index: PatternIndex<Registered>;
}

const MAX_PROJECTS = 500;

/**
 * Caches a project's handlers by the version that every change raises. Read under the project's lock, so that the cache
 * is right for the event at hand.
 */
export class Registry implements HandlerMatches {
  readonly #known = new BoundedMap<string, Known>(MAX_PROJECTS);
  /** What open transactions have read: it may be of a change that is never committed. */
  readonly #read = new WeakMap<Transaction, Map<string, Known>>();

  async matching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]> {
    return (await this.indexOf(tx, scope)).fitting(type).map(({ name }) => name);
  }

  /** The handlers as they were when this process last looked; there may be others now. */
  lastKnown({ project_id }: ProjectScope): PatternIndex<Registered> {
    return this.#known.get(project_id)?.index ?? new PatternIndex<Registered>();
  }

  async indexOf(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<Registered>> {
    const version = await readVersion(tx, scope);
    const { project_id } = scope;
    const here = this.#read.get(tx) ?? new Map<string, Known>();
    for (const known of [this.#known.get(project_id), here.get(project_id)])
      if (known?.version === version) return known.index;
    const index = version === 0 ? new PatternIndex<Registered>() : await load(tx, scope);
    this.#read.set(tx, here.set(project_id, { version, index }));
    tx.afterCommit(() => this.#known.set(project_id, { version, index }));
    return index;
  }
}

async function load(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<Registered>> {
  const index = new PatternIndex<Registered>();
  for (const { name, patterns, predicate, about } of await readPatterns(tx, scope)) {
    const { credentials = {} } = JSON.parse(about) as WorkflowAbout;
    index.add(JSON.parse(patterns) as string[], { name, predicate, declares: Object.keys(credentials) });
  }
  return index;
}
