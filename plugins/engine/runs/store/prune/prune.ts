import { inList, insertRows, type Database, type Transaction, chunks } from '../../../../../kernel/contracts/index.ts';
import { lowestId, type Prunable, deleteBatch } from '../../../../platform/retention/contract.ts';
import type { FileHolder, RunFiles, RunTable, SharedContent } from '../../contract.ts';
import { returnCallGrants, removeLogHeads } from '../rows/usage.ts';
import { RUN } from '../rows/runs.ts';
import type { Sources } from '../submit/sources.ts';

/** How many runs one transaction hides, or removes the rows of. */
const RUNS_AT_ONCE = 100;

/** Tables that SQLite stores in the order of their keys. */
const CLUSTERED_KEYS: Readonly<Record<string, string>> = {
  runs_journal: 'run_id, activity_id, position',
  runs_announcements: 'run_id, terminal',
};

/** The engine's own tables. Logs come before their heads, which show that there are any. */
const ENGINE_TABLES: readonly RunTable[] = [
  'runs_logs',
  'runs_log_heads',
  'runs_untrusted',
  'runs_outputs',
  'runs_call_grants',
  'runs_journal',
  'runs_attempts',
  'runs_under_way',
  'runs_waits',
  'runs_deadlines',
  'runs_calls',
  'runs_signals',
  'runs_cell_versions',
  'runs_annotations',
  // Servers up to 0.2 wrote a row for each start and end.
  'runs_announcements',
  'runs_tags',
  'runs_activities',
].map((table) => ({
  table,
  column: 'run_id',
  ...(table in CLUSTERED_KEYS && { clustered_key: CLUSTERED_KEYS[table]! }),
  ...(table === 'runs_log_heads' && { remove: (tx, run_ids) => removeLogHeads(tx, run_ids) }),
  ...(table === 'runs_call_grants' && { remove: (tx, run_ids) => returnCallGrants(tx, run_ids) }),
}));

interface PrunedRun {
  run_id: string;
  project_id: string;
}

interface MarkedRun extends PrunedRun {
  source_digest: string;
}

/**
 * Removes runs that ended before a time, with everything that belongs to them. The transaction that marks a run hides it from
 * everybody; the rest is deleted in batches, and a later call continues with marked runs. The masks of a run stay, because its
 * events may be retained for longer. Sources without a run are removed later.
 */
export function prunableRuns(
  database: Database,
  {
    sources,
    tables,
    shared_contents,
  }: { sources: Sources; tables: () => readonly RunTable[]; shared_contents: () => readonly SharedContent[] },
): Prunable {
  return {
    name: 'runs',
    summary: 'runs that have ended, with their steps, logs, signals and cells',
    async *prune(before, limit) {
      const all = [...tables(), ...ENGINE_TABLES];
      yield* removeMarked(database, all, limit);
      for (let after = ''; ; ) {
        const marked = await database.transaction((tx) => markRuns(tx, after, before, database.now()));
        const last = marked.at(-1);
        if (last === undefined) break;
        after = last;
        yield marked.length;
        yield* removeMarked(database, all, limit);
      }
      for (let removed = limit; removed >= limit; ) {
        removed = await sources.removeUnused(database, before, limit);
        if (removed > 0) yield removed;
      }
      for (const content of shared_contents()) yield* content.remove(before, limit);
    },
  };
}

/** Marks the oldest ended runs after `after`: ids begin with their time. Answers their ids. */
async function markRuns(tx: Transaction, after: string, before: number, now: number): Promise<string[]> {
  const rows = await tx.lock<MarkedRun>({
    ...RUN,
    columns: 'run_id, project_id, source_digest',
    where: 'run_id > ? AND run_id < ? AND finished_at < ?',
    params: [after, lowestId('run', before), before],
    limit: RUNS_AT_ONCE,
  });
  if (rows.length === 0) return [];
  const columns = ['run_id', 'project_id', 'source_digest', 'pruned_at'];
  const marks = rows.map((row) => [row.run_id, row.project_id, row.source_digest, now]);
  await insertRows(tx, `${tx.sql.insert_ignore} runs_pruned`, columns, marks);
  const run_ids = rows.map(({ run_id }) => run_id);
  const list = inList(run_ids);
  await tx.write(`DELETE FROM runs_runs WHERE run_id IN ${list.placeholders}`, list.params);
  tx.skipConflictGuard(
    RUN.table,
    run_ids.map((run_id) => [run_id]),
  );
  return run_ids;
}

async function* removeMarked(database: Database, tables: readonly RunTable[], limit: number): AsyncIterable<number> {
  for (;;) {
    const marked = await database.read<PrunedRun>(
      `SELECT run_id, project_id FROM runs_pruned ORDER BY run_id LIMIT ${RUNS_AT_ONCE}`,
    );
    if (marked.length === 0) return;
    yield await database.transaction((tx) => removeRows(tx, marked, tables, limit));
  }
}

/** Removes as many rows of marked runs as one transaction may. The marks are removed last. */
async function removeRows(
  tx: Transaction,
  marked: readonly PrunedRun[],
  tables: readonly RunTable[],
  limit: number,
): Promise<number> {
  const run_ids = marked.map(({ run_id }) => run_id);
  const list = inList(run_ids);
  let removed = 0;
  for (const { table, column, clustered_key, remove } of tables) {
    const remaining = limit - removed;
    removed += remove
      ? await remove(tx, run_ids, remaining)
      : await deleteBatch(
          tx,
          withKey(table, clustered_key),
          `${column} IN ${list.placeholders}`,
          list.params,
          remaining,
        );
    if (removed >= limit) return removed;
  }
  for (const project_id of new Set(marked.map((run) => run.project_id))) {
    const condition = `project_id = ? AND run_id IN ${list.placeholders}`;
    removed += await deleteBatch(tx, 'runs_cells', condition, [project_id, ...list.params], limit - removed);
    if (removed >= limit) return removed;
  }
  return removed + (await tx.write(`DELETE FROM runs_pruned WHERE run_id IN ${list.placeholders}`, list.params));
}

const withKey = (table: string, key: string | undefined) => (key === undefined ? table : { table, key });

const LOGS_AT_ONCE = 100;

/** Removes logs of runs that ended before a time. A run without a head has no log, so it is not visited again. */
export function prunableLogs(database: Database): Prunable {
  return {
    name: 'logs',
    summary: 'logs of runs that have ended; the runs stay',
    async *prune(before, limit) {
      for (let after = ''; ; ) {
        const heads = await database.read<{ run_id: string }>(
          `SELECT h.run_id FROM runs_log_heads h JOIN runs_runs r ON r.run_id = h.run_id
           WHERE h.run_id > ? AND h.run_id < ? AND r.finished_at < ? ORDER BY h.run_id LIMIT ${LOGS_AT_ONCE}`,
          [after, lowestId('run', before), before],
        );
        const last = heads.at(-1);
        if (last === undefined) return;
        after = last.run_id;
        const list = inList(heads.map(({ run_id }) => run_id));
        for (let removed = limit; removed >= limit; ) {
          removed = await deleteBatch(database, 'runs_logs', `run_id IN ${list.placeholders}`, list.params, limit);
          yield removed;
        }
        const run_ids = heads.map(({ run_id }) => run_id);
        await database.transaction((tx) => removeLogHeads(tx, run_ids));
      }
    },
  };
}

type Reading = Pick<Database, 'read'>;

export const createRunFiles = (database: Reading): RunFiles => ({
  async setOf({ project_id, run_id }) {
    const [row] = await database.read<{ file_set: string | null }>(
      `SELECT s.file_set FROM runs_runs r
       JOIN runs_sources s ON s.project_id = r.project_id AND s.digest = r.source_digest
       WHERE r.run_id = ? AND r.project_id = ?`,
      [run_id, project_id],
    );
    return row?.file_set ?? undefined;
  },
});

/** The file sets of stored sources. A source without a run is removed two hours later. */
export const sourceFileHolder = (database: Reading): FileHolder => ({
  name: 'runs',
  async holding(project_id, sets) {
    const referenced: string[] = [];
    for (const chunk of chunks(sets)) {
      const list = inList(chunk);
      const rows = await database.read<{ file_set: string }>(
        `SELECT DISTINCT file_set FROM runs_sources WHERE project_id = ? AND file_set IN ${list.placeholders}`,
        [project_id, ...list.params],
      );
      referenced.push(...rows.map(({ file_set }) => file_set));
    }
    return referenced;
  },
});
