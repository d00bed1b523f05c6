import { insertRows, type Param, type Queries } from '../../../kernel/contracts/index.ts';

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
  /** A whole action, or the noun of several actions. */
  action: string | undefined;
  /** Name or id. */
  principal: string | undefined;
  /** Epoch ms. */
  since: number | undefined;
  limit: number;
  /** The last entry of the previous page. */
  before: Place | undefined;
}

/** Where an entry stands in the order. */
export interface Place {
  /** Epoch ms. */
  at: number;
  entry_id: string;
}

/** Entries that one request looks at where its filter has no index. */
export const REACH = 20_000;

/**
 * Newest first, one row more than the page holds. `looked_to`: the search ended before this entry, and older ones may match.
 */
export async function listEntries(
  on: Queries,
  filter: EntryFilter,
  reach = REACH,
): Promise<{ rows: EntryRow[]; looked_to?: Place }> {
  const where = ['org_id = ?', 'project_id = ?'];
  const params: Param[] = [filter.org_id, filter.project_id];
  const add = (condition: string, ...values: Param[]) => {
    where.push(condition);
    params.push(...values);
  };
  const { action, principal, since, before } = filter;
  if (before) add('at <= ? AND (at < ? OR entry_id < ?)', before.at, before.at, before.entry_id);
  if (since !== undefined) add('at >= ?', since);
  const ordered = (columns: string, rest: string) =>
    `SELECT ${columns} FROM audit_entries WHERE ${where.join(' AND ')} ORDER BY at DESC, entry_id DESC ${rest}`;
  let looked_to: Place | undefined;
  if (action !== undefined || principal !== undefined) {
    const [end] = await on.read<Place>(ordered('at, entry_id', `LIMIT 1 OFFSET ${Math.trunc(reach)}`), params);
    looked_to = end && { at: Number(end.at), entry_id: end.entry_id };
    if (looked_to) add('at >= ? AND (at > ? OR entry_id >= ?)', looked_to.at, looked_to.at, looked_to.entry_id);
  }
  if (principal !== undefined) add('(principal_id = ? OR principal_name = ?)', principal, principal);
  if (action?.includes('.')) add('action = ?', action);
  // '/' follows '.' in ASCII: this range holds everything that begins with the noun and a dot.
  else if (action !== undefined) add('action >= ? AND action < ?', `${action}.`, `${action}/`);
  const found = await on.read<EntryRow>(ordered(COLUMNS.join(', '), `LIMIT ${Math.trunc(filter.limit) + 1}`), params);
  const rows = found.map((row) => ({ ...row, at: Number(row.at) }));
  return { rows, ...(looked_to && { looked_to }) };
}
