import { BoundedMap, type Sealer } from '../../../kernel/contracts/index.ts';
import { readGiven } from './named-credentials.ts';
import type { RunRow } from './run-columns.ts';
import { openEnv } from './sealing.ts';

/** What a job's environment needs besides its claim; it never changes. */
export interface JobFacts {
  subject: string | null;
  generation: number;
  env: Record<string, string>;
  credentials: Record<string, string>;
}

export type FactsRow = Pick<
  RunRow,
  'run_id' | 'org_id' | 'project_id' | 'subject' | 'generation' | 'env' | 'credentials'
>;

/** The org's keys must be ready. Throws `sealed_value_unreadable`. */
export function factsOf(sealer: Sealer, row: FactsRow): JobFacts {
  const { org_id, project_id, run_id, subject, generation, env, credentials } = row;
  const own = openEnv(sealer, { org_id, project_id, run_id }, env);
  return { subject, generation, env: own, credentials: readGiven(credentials) ?? {} };
}

/** Claims whose environment is being made. */
const MAX_FACTS = 256;

/** Facts that were read together with a claim. They hold variables of the run, so whoever takes them leaves none here. */
export class KnownFacts {
  readonly #facts = new BoundedMap<string, JobFacts>(MAX_FACTS);

  keep(run_id: string, facts: JobFacts): void {
    this.#facts.set(run_id, facts);
  }

  take(run_id: string): JobFacts | undefined {
    const facts = this.#facts.get(run_id);
    this.#facts.delete(run_id);
    return facts;
  }
}
