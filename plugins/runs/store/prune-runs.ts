import { inList, insertRows, type Database, type Transaction } from '../../../kernel/contracts/index.ts';
import { lowestId, type Prunable, removeSome } from '../../retention/contract.ts';
import type { RunLeftover, RunTable } from '../contract.ts';
import { giveBackCalls } from './call-usage.ts';
import { removeHeads } from './log-usage.ts';
import { RUN } from './run-rows.ts';
import { removeUnused } from './sources.ts';

/** Runs hidden in one transaction, and runs deleted in parallel. */
const AT_ONCE = 100;

/** Tables that SQLite keeps in the order of their keys. */
const KEYS: Readonly<Record<string, string>> = {
  runs_journal: 'run_id, activity_id, position',
  runs_announcements: 'run_id, terminal',
};

/** The engine's own tables. Logs come before their head, which shows that there are any. */
const OWN: readonly RunTable[] = [
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
  'runs_announcements',
  'runs_tags',
  'runs_activities',
].map((table) => ({
  table,
  column: 'run_id',
  ...(table === 'runs_log_heads' && { remove: (tx, run_ids) => removeHeads(tx, run_ids) }),
  ...(table === 'runs_call_grants' && { remove: (tx, run_ids) => giveBackCalls(tx, run_ids) }),
}));

interface Pruned {
  run_id: string;
  project_id: string;
}

interface Marked extends Pruned {
  source_digest: string;
}

/**
 * Runs that ended before a time, with everything that belongs to them. The transaction that marks a run hides it from
 * everybody; the rest is deleted in batches, and a later call continues with marked runs. The masks keep its secret
 * values, because its events may be kept for longer. Sources without a run go later.
 */
export function prunableRuns(
  database: Database,
  { tables, leftovers }: { tables: () => readonly RunTable[]; leftovers: () => readonly RunLeftover[] },
): Prunable {
  return {
    name: 'runs',
    summary: 'runs that have ended, with their steps, logs, signals and cells',
    async *prune(before, limit) {
      const all = [...tables(), ...OWN];
      yield* takeApart(database, all, limit);
      for (let after = ''; ; ) {
        const marked = await database.transaction((tx) => mark(tx, after, before, database.now()));
        const last = marked.at(-1);
        if (last === undefined) break;
        after = last;
        yield marked.length;
        yield* takeApart(database, all, limit);
      }
      for (let removed = limit; removed >= limit; ) {
        removed = await removeUnused(database, before, limit);
        if (removed > 0) yield removed;
      }
      for (const one of leftovers()) yield* one.remove(before, limit);
    },
  };
}

/** The oldest ended runs after one; ids begin with their time. */
async function mark(tx: Transaction, after: string, before: number, now: number): Promise<string[]> {
  const rows = await tx.lock<Marked>({
    ...RUN,
    columns: 'run_id, project_id, source_digest',
    where: 'run_id > ? AND run_id < ? AND finished_at < ?',
    params: [after, lowestId('run', before), before],
    limit: AT_ONCE,
  });
  if (rows.length === 0) return [];
  const columns = ['run_id', 'project_id', 'source_digest', 'pruned_at'];
  const marks = rows.map((row) => [row.run_id, row.project_id, row.source_digest, now]);
  await insertRows(tx, `${tx.sql.insert_ignore} runs_pruned`, columns, marks);
  const run_ids = rows.map(({ run_id }) => run_id);
  const list = inList(run_ids);
  await tx.write(`DELETE FROM runs_runs WHERE run_id IN ${list.marks}`, list.params);
  tx.settled(
    RUN.table,
    run_ids.map((run_id) => [run_id]),
  );
  return run_ids;
}

async function* takeApart(database: Database, tables: readonly RunTable[], limit: number): AsyncIterable<number> {
  for (;;) {
    const marked = await database.read<Pruned>(
      `SELECT run_id, project_id FROM runs_pruned ORDER BY run_id LIMIT ${AT_ONCE}`,
    );
    if (marked.length === 0) return;
    yield await database.transaction((tx) => removeRows(tx, marked, tables, limit));
  }
}

/** As many rows of these runs as one transaction may delete; the marks go last. */
async function removeRows(
  tx: Transaction,
  marked: readonly Pruned[],
  tables: readonly RunTable[],
  limit: number,
): Promise<number> {
  const run_ids = marked.map(({ run_id }) => run_id);
  const list = inList(run_ids);
  let removed = 0;
  for (const { table, column, remove } of tables) {
    const left = limit - removed;
    removed += remove
      ? await remove(tx, run_ids, left)
      : await removeSome(tx, keyed(table), `${column} IN ${list.marks}`, list.params, left);
    if (removed >= limit) return removed;
  }
  for (const project_id of new Set(marked.map((run) => run.project_id))) {
    const condition = `project_id = ? AND run_id IN ${list.marks}`;
    removed += await removeSome(tx, 'runs_cells', condition, [project_id, ...list.params], limit - removed);
    if (removed >= limit) return removed;
  }
  return removed + (await tx.write(`DELETE FROM runs_pruned WHERE run_id IN ${list.marks}`, list.params));
}

const keyed = (table: string) => (KEYS[table] === undefined ? table : { table, key: KEYS[table] });
