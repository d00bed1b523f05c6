import {
  BoundedMap,
  insertRows,
  type Database,
  type Param,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { lowestId, removeSome } from '../../retention/contract.ts';
import { fileSetOf } from '../contract.ts';
import { OPEN_STATUSES } from './open-runs.ts';
import type { Submission } from './run-columns.ts';
import { sealed, sealText } from './sealing.ts';

/** How long a process relies on a use that it wrote. */
const NOTED_MS = 3_600_000;
/** A source that was not used for so long is unknown to every process. */
const UNUSED_MS = 2 * NOTED_MS;
const DAY_MS = 24 * 3_600_000;
const MAX_NOTED = 10_000;
const COLUMNS = ['project_id', 'digest', 'org_id', 'source', 'files', 'file_set', 'created_at', 'used_at'];

/**
 * Stores the documents of runs, each once for its project. A submit that finds one must be sure that it stays, and does
 * not write its row each time: all submits of a document would collide there on a database with several writers. So a
 * process writes the time of use once an hour, and what was used within two hours is not removed.
 * A program may write the document of a run that it makes, with anything that it holds: so documents are sealed.
 */
export class Sources {
  readonly #sealer: Sealer;
  /** By project and digest: when this process last wrote the use. */
  readonly #noted = new BoundedMap<string, number>(MAX_NOTED);

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** The orgs' keys must be ready. */
  async store(tx: Transaction, submissions: readonly Submission[], now: number): Promise<void> {
    const named = new Map(submissions.map((item) => [`${item.run.project_id} ${item.source_digest}`, item]));
    const names = [...named.keys()].sort();
    const isNoted = (name: string) => now - (this.#noted.get(name) ?? 0) < NOTED_MS;
    const rowOf = (name: string): Param[] => {
      const { run, source_digest } = named.get(name)!;
      const source = sealText(this.#sealer, sealed.source(run, source_digest), run.source);
      const files = run.files && sealText(this.#sealer, sealed.files(run, source_digest), JSON.stringify(run.files));
      const set = fileSetOf(run.needed_files) ?? null;
      return [run.project_id, source_digest, run.org_id, source, files ?? null, set, now, now];
    };
    const fresh = names.filter((name) => !isNoted(name));
    const used = tx.sql.upsert(['project_id', 'digest'], ['used_at']);
    await insertRows(tx, 'INSERT INTO runs_sources', COLUMNS, fresh.map(rowOf), used);
    // These are there, unless the database has lost commits.
    await insertRows(tx, `${tx.sql.insert_ignore} runs_sources`, COLUMNS, names.filter(isNoted).map(rowOf));
    tx.afterCommit(() => {
      for (const name of fresh) this.#noted.set(name, now);
    });
  }
}

type Condition = [condition: string, params: Param[]];

/** Deletes sources of no run, at most `limit`. Answers how many. */
export function removeUnused(database: Database, before: number, limit: number): Promise<number> {
  const until = Math.min(before, database.now() - UNUSED_MS);
  const [unused, params] = database.sql.family === 'mysql' ? BY_INDEX : unusedByAge(until);
  return removeSome(database, 'runs_sources', `used_at < ? AND ${unused}`, [until, ...params], limit);
}

const BY_INDEX: Condition = [
  `NOT EXISTS (SELECT 1 FROM runs_runs
    WHERE runs_runs.project_id = runs_sources.project_id AND runs_runs.source_digest = runs_sources.digest)`,
  [],
];

/**
 * SQLite has no index by the digest, which would cost every run a page: it looks once through the runs that may have a
 * source of that age. Of these few are left where the sources are removed, after the old runs. A day is for clocks that
 * were put back: ids do not follow them. A run that goes on needs its source, whatever clocks have said.
 */
const unusedByAge = (until: number): Condition => [
  `(project_id, digest) NOT IN (SELECT project_id, source_digest FROM runs_runs WHERE run_id < ?)
   AND (project_id, digest) NOT IN (SELECT project_id, source_digest FROM runs_runs INDEXED BY runs_runs_status
     WHERE project_id IN (SELECT project_id FROM runs_sources WHERE used_at < ?)
     AND status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')}))`,
  [lowestId('run', until + UNUSED_MS + DAY_MS), until],
];
