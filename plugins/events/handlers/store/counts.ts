import { chunks, inList, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

const KINDS = ['started', 'failed', 'predicate_errors', 'dropped'] as const;
/** What a handler did: runs started, runs failed, predicates that could not be evaluated, and events dropped. */
export type Counts = Record<(typeof KINDS)[number], number>;

const HOUR_MS = 3_600_000;
/** The current hour and the 23 before it. */
const HOURS = 24;
/** Queued deliveries of one handler are counted up to this number. */
const MAX_QUEUED = 10_000;

const COLUMNS = ['project_id', 'name', 'slot', 'org_id', 'hour', ...KINDS];
const UPSERT = {
  sqlite: {
    head: 'ON CONFLICT (project_id, name, slot) DO UPDATE SET',
    excluded: (column: string) => `excluded.${column}`,
  },
  mysql: { head: 'ON DUPLICATE KEY UPDATE', excluded: (column: string) => `VALUES(${column})` },
};

/** Resets a row that counts another hour. MySQL assigns from left to right, so the hour comes last. */
function addStatement(family: Queries['sql']['family']): string {
  const { head, excluded } = UPSERT[family];
  const sums = KINDS.map(
    (kind) => `${kind} = CASE WHEN hour = ${excluded('hour')} THEN COALESCE(${kind}, 0) ELSE 0 END + ${excluded(kind)}`,
  );
  return `${head} ${[...sums, `hour = ${excluded('hour')}`].join(', ')}`;
}

/** Adds one to a handler's counts for each entry. The project's bus must be locked. */
export async function addCounts(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  entries: readonly { name: string; kind: keyof Counts }[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const hour = Math.floor(now / HOUR_MS);
  const by_name = Map.groupBy(entries, ({ name }) => name);
  const rows = [...by_name].map(([name, handler_entries]) => [
    project_id,
    name,
    hour % HOURS,
    org_id,
    hour,
    ...KINDS.map((kind) => handler_entries.filter((entry) => entry.kind === kind).length),
  ]);
  await insertRows(tx, 'INSERT INTO handlers_counts', COLUMNS, rows, addStatement(tx.sql.family));
}

/** Returns when the counted hours begin: between 23 and 24 hours before `now`. */
export const countsStart = (now: number): number => (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;

/** Returns counts by name; handlers that did nothing are left out. Reads at most one row per handler and hour. */
export async function readCounts(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  names: readonly string[],
  now: number,
): Promise<Map<string, Counts>> {
  const counted: (Counts & { name: string })[] = [];
  for (const chunk of chunks(names)) {
    const list = inList(chunk);
    const rows = await on.read<Counts & { name: string }>(
      `SELECT name, ${KINDS.map((kind) => `SUM(${kind}) AS ${kind}`).join(', ')} FROM handlers_counts
     WHERE project_id = ? AND name IN ${list.placeholders} AND hour >= ? GROUP BY name`,
      [project_id, ...list.params, countsStart(now) / HOUR_MS],
    );
    counted.push(...rows);
  }
  const toNumbers = (row: Counts) => Object.fromEntries(KINDS.map((kind) => [kind, Number(row[kind])])) as Counts;
  return new Map(counted.map((row) => [row.name, toNumbers(row)]));
}

/** Counts queued deliveries by handler, up to 10,000 each; with `trusted`, only those. Handlers without any are left out. */
export async function countQueuedByName(
  on: Pick<Queries, 'read'>,
  { project_id }: ProjectScope,
  names: readonly string[],
  trusted?: boolean,
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const of_trust = trusted === undefined ? '' : `AND trusted = ${trusted ? 1 : 0}`;
  const statement = `SELECT ? AS name, COUNT(*) AS n FROM
    (SELECT 1 FROM handlers_queue WHERE project_id = ? AND name = ? ${of_trust} LIMIT ${MAX_QUEUED})`;
  const rows = await on.read<{ name: string; n: number }>(
    names.map((_, at) => `${statement} queued_${at}`).join(' UNION ALL '),
    names.flatMap((name) => [name, project_id, name]),
  );
  return new Map(rows.filter(({ n }) => Number(n) > 0).map(({ name, n }) => [name, Number(n)]));
}

export async function removeCounts(tx: Transaction, { project_id }: ProjectScope, name: string): Promise<void> {
  await tx.write('DELETE FROM handlers_counts WHERE project_id = ? AND name = ?', [project_id, name]);
}
