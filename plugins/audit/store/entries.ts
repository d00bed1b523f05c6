import { insertRows, type Param, type Queries, type Reach, searchInWindows } from '../../../kernel/contracts/index.ts';

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

/** Newest first, one row more than the page holds. `looked_to`: the search ended at this entry, and older ones may match. */
export async function listEntries(
  on: Queries,
  filter: EntryFilter,
  reach?: Reach,
): Promise<{ rows: EntryRow[]; looked_to?: Place }> {
  const asked = askedBy(filter);
  if (asked.length === 0)
    return { rows: await readEntries(on, filter, [], filter.before, undefined, filter.limit + 1) };
  return searchInWindows(
    {
      before: filter.before,
      wanted: filter.limit + 1,
      async endOf(before, rows) {
        const { where, params } = placed(filter, before);
        const [end] = await on.read<Place>(
          `SELECT at, entry_id FROM audit_entries WHERE ${where} ${NEWEST} LIMIT 1 OFFSET ${Math.trunc(rows) - 1}`,
          params,
        );
        return end && { at: Number(end.at), entry_id: end.entry_id };
      },
      read: (before, from, most) => readEntries(on, filter, asked, before, from, most),
    },
    reach,
  );
}

type Condition = [condition: string, ...values: Param[]];

const NEWEST = 'ORDER BY at DESC, entry_id DESC';

/** What the order of entries does not decide. */
function askedBy({ action, principal }: EntryFilter): Condition[] {
  const asked: Condition[] = [];
  if (principal !== undefined) asked.push(['(principal_id = ? OR principal_name = ?)', principal, principal]);
  if (action?.includes('.')) asked.push(['action = ?', action]);
  // '/' follows '.' in ASCII: this range holds everything that begins with the noun and a dot.
  else if (action !== undefined) asked.push(['action >= ? AND action < ?', `${action}.`, `${action}/`]);
  return asked;
}

function placed(
  { org_id, project_id, since }: EntryFilter,
  before: Place | undefined,
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
  asked: readonly Condition[],
  before: Place | undefined,
  from: Place | undefined,
  most: number,
): Promise<EntryRow[]> {
  const window: Condition[] = from ? [['at >= ? AND (at > ? OR entry_id >= ?)', from.at, from.at, from.entry_id]] : [];
  const { where, params } = placed(filter, before, [...window, ...asked]);
  const rows = await on.read<EntryRow>(
    `SELECT ${COLUMNS.join(', ')} FROM audit_entries WHERE ${where} ${NEWEST} LIMIT ${Math.trunc(most)}`,
    params,
  );
  return rows.map((row) => ({ ...row, at: Number(row.at) }));
}
