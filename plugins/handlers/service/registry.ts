import { token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { HandlerMatches } from '../contract.ts';
import type { Judged } from '../domain/verdict.ts';
import { PatternIndex } from '../domain/patterns.ts';
import { readPatterns } from '../store/handler-table.ts';
import { readVersion } from '../store/versions.ts';
import type { About } from './definitions.ts';

/** A handler as the matching sees it. Its document stays in the database. */
export interface Registered extends Judged {
  name: string;
}

interface Known {
  version: number;
  index: PatternIndex<Registered>;
}

const MOST_PROJECTS = 500;

/**
 * Remembers which handlers a project has, by the version that every change raises. Read under the project's lock, so that
 * what is remembered is right for the event that asks.
 */
export class Registry implements HandlerMatches {
  readonly #known = new Map<string, Known>();

  async matching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]> {
    return (await this.indexOf(tx, scope)).fitting(type).map(({ name }) => name);
  }

  async indexOf(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<Registered>> {
    const version = await readVersion(tx, scope);
    const known = this.#known.get(scope.project_id);
    if (known?.version === version) return known.index;
    const index = version === 0 ? new PatternIndex<Registered>() : await load(tx, scope);
    this.#keep(scope.project_id, { version, index });
    return index;
  }

  #keep(project_id: string, known: Known): void {
    this.#known.delete(project_id);
    this.#known.set(project_id, known);
    if (this.#known.size <= MOST_PROJECTS) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }
}

async function load(tx: Transaction, scope: ProjectScope): Promise<PatternIndex<Registered>> {
  const index = new PatternIndex<Registered>();
  for (const { name, patterns, predicate, about } of await readPatterns(tx, scope)) {
    const { credentials = {} } = JSON.parse(about) as About;
    index.add(JSON.parse(patterns) as string[], { name, predicate, declares: Object.keys(credentials) });
  }
  return index;
}

export const OwnRegistry = token<Registry>('handlers.Registry');
