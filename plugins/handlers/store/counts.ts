import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

const KINDS = ['started', 'failed', 'predicate_errors'] as const;
/** What a handler did: runs that started, runs that failed, predicates that could not be evaluated. */
export type Counts = Record<(typeof KINDS)[number], number>;

const HOUR_MS = 3_600_000;
/** The present hour and those before it. */
const HOURS = 24;
/** Queued deliveries of one handler are counted up to this. */
const MAX_QUEUED = 10_000;

const COLUMNS = ['project_id', 'name', 'slot', 'org_id', 'hour', ...KINDS];
const ADDED = {
  sqlite: {
    head: 'ON CONFLICT (project_id, name, slot) DO UPDATE SET',
    fresh: (column: string) => `excluded.${column}`,
  },
  mysql: { head: 'ON DUPLICATE KEY UPDATE', fresh: (column: string) => `VALUES(${column})` },
};

/** What a row had of another hour is forgotten. MySQL assigns from left to right, so the hour comes last. */
function adding(family: Queries['sql']['family']): string {
  const { head, fresh } = ADDED[family];
  const sums = KINDS.map(
    (kind) => `${kind} = CASE WHEN hour = ${fresh('hour')} THEN ${kind} ELSE 0 END + ${fresh(kind)}`,
  );
  return `${head} ${[...sums, `hour = ${fresh('hour')}`].join(', ')}`;
}

/** Counts under the lock of the project's bus: one entry for each thing that a handler did. */
export async function addCounts(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  did: readonly { name: string; kind: keyof Counts }[],
  now: number,
): Promise<void> {
  if (did.length === 0) return;
  const hour = Math.floor(now / HOUR_MS);
  const byName = Map.groupBy(did, ({ name }) => name);
  const rows = [...byName].map(([name, own]) => [
    ...[project_id, name, hour % HOURS, org_id, hour],
    ...KINDS.map((kind) => own.filter((one) => one.kind === kind).length),
  ]);
  await insertRows(tx, 'INSERT INTO handlers_counts', COLUMNS, rows, adding(tx.sql.family));
}

/** The beginning of the hours that count at a time: between 23 and 24 hours before it. */
export const countedSince = (now: number): number => (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;

/** By name; handlers that did nothing are left out. At most as many rows a handler as there are hours. */
export async function readCounts(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  names: readonly string[],
  now: number,
): Promise<Map<string, Counts>> {
  const found: (Counts & { name: string })[] = [];
  for (const some of chunks(names)) {
    const list = inList(some);
    const rows = await on.read<Counts & { name: string }>(
      `SELECT name, ${KINDS.map((kind) => `SUM(${kind}) AS ${kind}`).join(', ')} FROM handlers_counts
     WHERE project_id = ? AND name IN ${list.marks} AND hour >= ? GROUP BY name`,
      [project_id, ...list.params, countedSince(now) / HOUR_MS],
    );
    found.push(...rows);
  }
  const numbers = (row: Counts) => Object.fromEntries(KINDS.map((kind) => [kind, Number(row[kind])])) as Counts;
  return new Map(found.map((row) => [row.name, numbers(row)]));
}

/** Queued deliveries by handler, of each up to 10,000; handlers without any are left out. */
export async function queuedByName(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const one = `SELECT ? AS name, COUNT(*) AS n FROM
    (SELECT 1 FROM handlers_queue WHERE project_id = ? AND name = ? LIMIT ${MAX_QUEUED})`;
  const rows = await on.read<{ name: string; n: number }>(
    names.map((_, at) => `${one} queued_${at}`).join(' UNION ALL '),
    names.flatMap((name) => [name, project_id, name]),
  );
  return new Map(rows.filter(({ n }) => Number(n) > 0).map(({ name, n }) => [name, Number(n)]));
}

export async function removeCounts(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_counts WHERE project_id = ? AND name = ?', [project_id, name]);
}
