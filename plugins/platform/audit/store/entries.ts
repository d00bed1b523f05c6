import {
  insertRows,
  type Param,
  type Queries,
  type SearchBounds,
  searchInWindows,
} from '../../../../kernel/contracts/index.ts';

export interface EntryRow {
  entry_id: string;
  org_id: string;
  project_id: string;
  /** Epoch ms. */
  at: number;
  action: string;
  subject: string;
  detail: string;
  principal_kind: string;
  principal_id: string;
  principal_name: string;
  token_id: string;
  request_id: string;
  ip: string;
}

const COLUMNS = [
  'entry_id',
  'org_id',
  'project_id',
  'at',
  'action',
  'subject',
  'detail',
  'principal_kind',
  'principal_id',
  'principal_name',
  'token_id',
  'request_id',
  'ip',
] as const satisfies readonly (keyof EntryRow)[];

export async function insertEntries(on: Queries, rows: readonly EntryRow[]): Promise<void> {
  const values = rows.map((row): Param[] => COLUMNS.map((column) => row[column]));
  await insertRows(on, 'INSERT INTO audit_entries', COLUMNS, values);
}

export interface EntryFilter {
  org_id: string;
  /** `''` for the entries of the org itself. */
  project_id: string;
  /** An action, such as `secret.read`, or only its noun, such as `secret`. */
  action: string | undefined;
  /** The name or id of the principal. */
  principal: string | undefined;
  /** Epoch ms. */
  since: number | undefined;
  limit: number;
  /** The last entry of the previous page. */
  before: EntryPosition | undefined;
}

/** The position of an entry in the order of the list. */
export interface EntryPosition {
  /** Epoch ms. */
  at: number;
  entry_id: string;
}

/**
 * Lists entries, newest first, and one more than the page holds. `scanned_to` is set when the search stopped at that entry
 * although older ones may match.
 */
export async function listEntries(
  on: Queries,
  filter: EntryFilter,
  bounds?: SearchBounds,
): Promise<{ rows: EntryRow[]; scanned_to?: EntryPosition }> {
  const conditions = filterConditions(filter);
  if (conditions.length === 0)
    return { rows: await readEntries(on, filter, [], filter.before, undefined, filter.limit + 1) };
  return searchInWindows(
    {
      before: filter.before,
      limit: filter.limit + 1,
      async endOf(before, rows) {
        const { where, params } = buildWhere(filter, before);
        const [end] = await on.read<EntryPosition>(
          `SELECT at, entry_id FROM audit_entries WHERE ${where} ${NEWEST} LIMIT 1 OFFSET ${Math.trunc(rows) - 1}`,
          params,
        );
        return end && { at: Number(end.at), entry_id: end.entry_id };
      },
      read: (before, from, limit) => readEntries(on, filter, conditions, before, from, limit),
    },
    bounds,
  );
}

type Condition = [condition: string, ...values: Param[]];

const NEWEST = 'ORDER BY at DESC, entry_id DESC';

/** The conditions that the index does not cover. */
function filterConditions({ action, principal }: EntryFilter): Condition[] {
  const conditions: Condition[] = [];
  if (principal !== undefined) conditions.push(['(principal_id = ? OR principal_name = ?)', principal, principal]);
  if (action?.includes('.')) conditions.push(['action = ?', action]);
  // '/' follows '.' in ASCII: this range holds everything that begins with the noun and a dot.
  else if (action !== undefined) conditions.push(['action >= ? AND action < ?', `${action}.`, `${action}/`]);
  return conditions;
}

function buildWhere(
  { org_id, project_id, since }: EntryFilter,
  before: EntryPosition | undefined,
  more: readonly Condition[] = [],
): { where: string; params: Param[] } {
  const conditions: Condition[] = [['org_id = ? AND project_id = ?', org_id, project_id]];
  if (before) conditions.push(['at <= ? AND (at < ? OR entry_id < ?)', before.at, before.at, before.entry_id]);
  if (since !== undefined) conditions.push(['at >= ?', since]);
  conditions.push(...more);
  return {
    where: conditions.map(([condition]) => condition).join(' AND '),
    params: conditions.flatMap(([, ...values]) => values),
  };
}

async function readEntries(
  on: Queries,
  filter: EntryFilter,
  conditions: readonly Condition[],
  before: EntryPosition | undefined,
  from: EntryPosition | undefined,
  limit: number,
): Promise<EntryRow[]> {
  const window: Condition[] = from ? [['at >= ? AND (at > ? OR entry_id >= ?)', from.at, from.at, from.entry_id]] : [];
  const { where, params } = buildWhere(filter, before, [...window, ...conditions]);
  const rows = await on.read<EntryRow>(
    `SELECT ${COLUMNS.join(', ')} FROM audit_entries WHERE ${where} ${NEWEST} LIMIT ${Math.trunc(limit)}`,
    params,
  );
  return rows.map((row) => ({ ...row, at: Number(row.at) }));
}
