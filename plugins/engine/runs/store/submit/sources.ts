import {
  BoundedMap,
  insertRows,
  type Database,
  type Param,
  type Sealer,
  type Transaction,
} from '../../../../../kernel/contracts/index.ts';
import { lowestId, deleteBatch } from '../../../../platform/retention/contract.ts';
import { fileSetOf } from '../../contract.ts';
import { OPEN_STATUSES, type Submission } from '../rows/runs.ts';
import { sealContext, sealText } from '../rows/sealing.ts';

/** How long a process relies on a time of use that it wrote. */
const USE_CACHED_MS = 3_600_000;
/** No process relies on a source that was unused for this long. */
const UNUSED_MS = 2 * USE_CACHED_MS;
const DAY_MS = 24 * 3_600_000;
const MAX_CACHED_SOURCES = 10_000;
const SOURCE_TABLE_COLUMNS = ['project_id', 'digest', 'org_id', 'source', 'files', 'file_set', 'created_at', 'used_at'];

/**
 * Stores the documents of runs, each once for its project. A submit must be sure that the document stays, but cannot write its
 * row each time: on a database with several writers, all submits of one document would collide there. So a process writes the
 * time of use once an hour, and what was used within two hours is not removed. Documents are sealed, because a program may
 * write the document of a run that it starts, with any value that it has.
 */
export class Sources {
  readonly #sealer: Sealer;
  /** When this process last wrote the time of use, by project and digest. */
  readonly #written_at = new BoundedMap<string, number>(MAX_CACHED_SOURCES);

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** The orgs' keys must be ready. */
  async store(tx: Transaction, submissions: readonly Submission[], now: number): Promise<void> {
    const named = new Map(submissions.map((item) => [`${item.run.project_id} ${item.source_digest}`, item]));
    const names = [...named.keys()].sort();
    const isCached = (name: string) => now - (this.#written_at.get(name) ?? 0) < USE_CACHED_MS;
    const rowOf = (name: string): Param[] => {
      const { run, source_digest } = named.get(name)!;
      const source = sealText(this.#sealer, sealContext.source(run, source_digest), run.source);
      const files =
        run.files && sealText(this.#sealer, sealContext.files(run, source_digest), JSON.stringify(run.files));
      const set = fileSetOf(run.needed_files) ?? null;
      return [run.project_id, source_digest, run.org_id, source, files ?? null, set, now, now];
    };
    const unused = names.filter((name) => !isCached(name));
    const used = tx.sql.upsert(['project_id', 'digest'], ['used_at']);
    await insertRows(tx, 'INSERT INTO runs_sources', SOURCE_TABLE_COLUMNS, unused.map(rowOf), used);
    // These exist, unless the database has lost commits, as a file of SQLite never does while a process has it open.
    if (tx.sql.family === 'mysql')
      await insertRows(
        tx,
        `${tx.sql.insert_ignore} runs_sources`,
        SOURCE_TABLE_COLUMNS,
        names.filter(isCached).map(rowOf),
      );
    tx.afterCommit(() => {
      for (const name of unused) this.#written_at.set(name, now);
    });
  }

  /**
   * Deletes up to `limit` sources without a run. Answers how many. From then on this process relies on no time of use that it
   * wrote before: the clock may be ahead now and be set back afterwards.
   */
  async removeUnused(database: Database, before: number, limit: number): Promise<number> {
    const until = Math.min(before, database.now() - UNUSED_MS);
    const [unused, params] = database.sql.family === 'mysql' ? BY_INDEX : unusedByAge(until);
    this.#written_at.clear();
    return deleteBatch(database, 'runs_sources', `used_at < ? AND ${unused}`, [until, ...params], limit);
  }
}

type SourceCondition = [condition: string, params: Param[]];

const BY_INDEX: SourceCondition = [
  `NOT EXISTS (SELECT 1 FROM runs_runs
    WHERE runs_runs.project_id = runs_sources.project_id AND runs_runs.source_digest = runs_sources.digest)`,
  [],
];

/**
 * SQLite has no index by digest, which would cost every run a page. It reads the runs that may have a source of that age once;
 * few are left of them when sources are removed, because old runs are removed before. A day is added for clocks that were set
 * back, because ids do not follow them. An open run needs its source whatever clocks have said.
 */
const unusedByAge = (until: number): SourceCondition => [
  `(project_id, digest) NOT IN (SELECT project_id, source_digest FROM runs_runs WHERE run_id < ?)
   AND (project_id, digest) NOT IN (SELECT project_id, source_digest FROM runs_runs INDEXED BY runs_runs_status
     WHERE project_id IN (SELECT project_id FROM runs_sources WHERE used_at < ?)
     AND status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')}))`,
  [lowestId('run', until + UNUSED_MS + DAY_MS), until],
];
