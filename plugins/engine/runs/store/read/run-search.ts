import {
  distinct,
  inList,
  type Param,
  type Queries,
  type SearchBounds,
  type Search,
  searchInWindows,
} from '../../../../../kernel/contracts/index.ts';
import { ANY_RUN, type OriginFilter, type RunFilter, type RunStatus, TERMINAL } from '../../contract.ts';
import { lowestId } from '../../../../platform/retention/contract.ts';
import { OPEN_STATUSES, RECORD_BYTES } from '../rows/runs.ts';
import { textKey } from '../rows/sealing.ts';

const DAY_MS = 24 * 3_600_000;

interface Found {
  run_id: string;
  bytes: number;
}

/**
 * The newest runs that match a filter, and the bytes of their callers' texts: one more than `limit` if there is one.
 * `scanned_to`: the search ended at this run, and older ones may match.
 */
export async function listRuns(
  on: Pick<Queries, 'read' | 'sql'>,
  project_id: string,
  filter: RunFilter,
  search_bounds?: SearchBounds,
): Promise<{ rows: Found[]; scanned_to?: string }> {
  const read = (within: RunFilter, from?: string): Promise<Found[]> => {
    const { statement, params } = searchOf(on, project_id, within, from);
    return on.read(statement, params);
  };
  if (filter.among !== undefined) return { rows: await readAmong(on, project_id, filter, filter.among) };
  if (!readsOtherRows(filter)) return { rows: await read(filter) };
  const search: Search<Found, string> = {
    before: filter.before,
    limit: filter.limit + 1,
    endOf: (before, rows) => windowFrom(on, project_id, { ...filter, before }, rows),
    read: (before, from, most) => read({ ...filter, before, limit: most - 1 }, from),
  };
  return searchInWindows(search, search_bounds);
}

/** Reads those of the given runs that match, by their keys. SQLite would prefer an index that begins with the project, and read all of its runs. */
async function readAmong(
  on: Pick<Queries, 'read' | 'sql'>,
  project_id: string,
  filter: RunFilter,
  run_ids: readonly string[],
): Promise<Found[]> {
  if (run_ids.length === 0) return [];
  const lead: Lead = filter.tag === undefined ? { name: 'r', from: 'runs_runs r' } : leadOf(on.sql, filter)!;
  const list = inList(run_ids);
  const conditions = conditionsOf(filter, lead.name);
  const where = ["COALESCE(r.project_id, '') = ?", ...conditions.map(([condition]) => condition)].join(' AND ');
  return on.read<Found>(
    `SELECT r.run_id, ${RECORD_BYTES} AS bytes FROM ${lead.from} WHERE ${where} AND r.run_id IN ${list.placeholders}
      ORDER BY r.run_id DESC LIMIT ${Math.trunc(filter.limit) + 1}`,
    [project_id, ...conditions.flatMap(([, ...values]) => values), ...list.params],
  );
}

/**
 * True if the search also reads rows that do not match, because no single index decides the entire filter. Such a search
 * is bounded: it reads windows of rows and may end before the oldest run.
 */
function readsOtherRows(filter: RunFilter): boolean {
  const { tag, statuses, workflow, subject, trigger, since, until, paused } = filter;
  if (paused !== undefined || workflow !== undefined || since !== undefined || until !== undefined) return true;
  const others = [statuses.length > 0, subject !== undefined, trigger !== undefined].filter(Boolean).length;
  return tag === undefined ? leadingIndex(filter) !== undefined && others > 1 : others > 0;
}

/** Builds the statement. Exported for tests that check its plan. `from` is the oldest run that it may read. */
export function searchOf({ sql }: Pick<Queries, 'sql'>, project_id: string, filter: RunFilter, from?: string): Query {
  const lead = leadOf(sql, filter);
  if (lead === undefined) return statusByStatus(sql, project_id, filter, from);
  return newest(
    lead,
    project_id,
    [...conditionsOf(filter, lead.name), ...bounds(filter, lead.name, from)],
    filter.limit + 1,
  );
}

interface Lead {
  name: 'r' | 't';
  from: string;
}

/**
 * Returns the table or index that the search reads from its newest end: that of the tag, the subject or the trigger, otherwise
 * all runs. Returns undefined if the search must read one status after the other. SQLite always does that without such a
 * filter, because it has no index of all runs by age: each new run would change one more page of the database.
 */
function leadOf(sql: Queries['sql'], filter: RunFilter): Lead | undefined {
  if (filter.tag !== undefined) return { name: 't', from: 'runs_tags t JOIN runs_runs r ON r.run_id = t.run_id' };
  const index = leadingIndex(filter);
  if (index === undefined)
    return sql.family === 'sqlite' || filter.statuses.length > 0 ? undefined : { name: 'r', from: 'runs_runs r' };
  return indexed(sql, index);
}

const NO_FILTER: RunFilter = { ...ANY_RUN, limit: 0, before: undefined };

/** Returns the filters that the leading index decides. A window is a range of rows that match these, so the index alone gives its end. */
function decidedBy(filter: RunFilter): Partial<RunFilter> {
  const { tag, subject, trigger } = filter;
  if (tag !== undefined) return { tag };
  return leadingIndex(filter) === 'runs_runs_subject' ? { subject } : { trigger };
}

/** Returns the oldest run of a window with this many rows, or undefined if there are fewer rows. */
async function windowFrom(
  on: Pick<Queries, 'read' | 'sql'>,
  project_id: string,
  filter: RunFilter,
  rows: number,
): Promise<string | undefined> {
  const lead = leadOf(on.sql, filter);
  const { name } = lead ?? { name: 'r' as const };
  const decided = conditionsOf({ ...NO_FILTER, ...decidedBy(filter), before: filter.before }, name);
  const within = [...decided, ...bounds(filter, name)];
  const searches = lead
    ? [windowEnd(lead, project_id, within, rows)]
    : statusesOf(filter).map((status) =>
        windowEnd(byStatus(on.sql), project_id, [['r.status = ?', status], ...within], rows),
      );
  const ends: string[] = [];
  for (const { statement, params } of searches) {
    const [end] = await on.read<{ run_id: string }>(statement, params);
    if (end) ends.push(end.run_id);
  }
  return ends.length === 0 ? undefined : ends.reduce((a, b) => (a > b ? a : b));
}

const indexed = ({ family }: Queries['sql'], index: string): Lead => ({
  name: 'r',
  from: `runs_runs r ${family === 'mysql' ? `FORCE INDEX (${index})` : `INDEXED BY ${index}`}`,
});

const byStatus = (sql: Queries['sql']): Lead => indexed(sql, 'runs_runs_status');

const windowEnd = (
  { name, from }: Lead,
  project_id: string,
  conditions: readonly Condition[],
  rows: number,
): Query => ({
  statement: `SELECT ${name}.run_id FROM ${name === 't' ? 'runs_tags t' : from}
      WHERE ${whereOf(name, conditions)} ORDER BY ${name}.run_id DESC LIMIT 1 OFFSET ${Math.trunc(rows) - 1}`,
  params: [project_id, ...conditions.flatMap(([, ...values]) => values)],
});

const whereOf = (lead: string, conditions: readonly Condition[]): string =>
  [`${lead}.project_id = ?`, ...conditions.map(([condition]) => condition)].join(' AND ');

interface Query {
  statement: string;
  params: Param[];
}

const statusesOf = ({ statuses }: RunFilter): string[] =>
  statuses.length === 0 ? [...OPEN_STATUSES, ...TERMINAL] : distinct(statuses, String);

/** Reads the newest runs of each status in the order of its index, and takes the newest of these. */
function statusByStatus(sql: Queries['sql'], project_id: string, filter: RunFilter, from: string | undefined): Query {
  const parts = statusesOf(filter).map((status) => {
    const conditions = conditionsOf({ ...filter, statuses: [status as RunStatus] }, 'r');
    return newest(byStatus(sql), project_id, [...conditions, ...bounds(filter, 'r', from)], filter.limit + 1);
  });
  return {
    statement: `${parts.map(({ statement }, n) => `SELECT * FROM (${statement}) s${n}`).join(' UNION ALL ')}
      ORDER BY run_id DESC LIMIT ${Math.trunc(filter.limit) + 1}`,
    params: parts.flatMap(({ params }) => params),
  };
}

/**
 * Limits the search to a range of IDs, which begin with the time of creation, so that it reads few older or newer runs. The
 * range is a day wider on both sides: after a clock was set back, new IDs still begin with the later time.
 */
const bounds = ({ since, until }: RunFilter, lead: string, from?: string): Condition[] => [
  ...(since === undefined ? [] : [[`${lead}.run_id >= ?`, lowestId('run', since - DAY_MS)] satisfies Condition]),
  ...(until === undefined ? [] : [[`${lead}.run_id < ?`, lowestId('run', until + DAY_MS)] satisfies Condition]),
  ...(from === undefined ? [] : [[`${lead}.run_id >= ?`, from] satisfies Condition]),
];

const newest = ({ name, from }: Lead, project_id: string, conditions: readonly Condition[], most: number): Query => ({
  statement: `SELECT r.run_id, ${RECORD_BYTES} AS bytes FROM ${from}
      WHERE ${whereOf(name, conditions)} ORDER BY ${name}.run_id DESC LIMIT ${Math.trunc(most)}`,
  params: [project_id, ...conditions.flatMap(([, ...values]) => values)],
});

/**
 * Returns the index that the statement is forced to use. If the database could choose, it might read all runs of the project
 * in the order of their IDs to find the few runs of one subject.
 */
function leadingIndex({ tag, subject, trigger: given }: RunFilter): string | undefined {
  if (tag !== undefined) return undefined;
  const trigger = given ?? {};
  if ('event' in trigger) return 'runs_runs_event';
  if ('parent' in trigger) return 'runs_runs_parent';
  if (subject !== undefined) return 'runs_runs_subject';
  if ('name' in trigger) return 'runs_runs_starter';
  return 'type' in trigger ? 'runs_runs_type' : undefined;
}

type Condition = [string, ...Param[]];

const originCondition = (trigger: OriginFilter): Condition => {
  if ('type' in trigger) return ['r.trigger_type = ?', trigger.type];
  if ('name' in trigger) return ['r.trigger_name = ?', trigger.name];
  return 'event' in trigger ? ['r.trigger_event = ?', trigger.event] : ['r.parent = ?', trigger.parent];
};

function conditionsOf(filter: RunFilter, lead: string): Condition[] {
  const { tag, statuses, workflow, subject, trigger, since, until, before, paused } = filter;
  const found: Condition[] = [];
  if (tag !== undefined) found.push(['t.tag_key = ?', textKey('tag', tag)]);
  if (statuses.length > 0) found.push([`r.status IN (${statuses.map(() => '?').join(',')})`, ...statuses]);
  // HEX compares bytes in both families; MySQL's binary collations would ignore trailing spaces.
  if (workflow !== undefined) found.push(['HEX(r.workflow) = ?', Buffer.from(workflow).toString('hex').toUpperCase()]);
  if (subject !== undefined) found.push(['r.subject_bytes = ?', Buffer.from(subject)]);
  if (trigger !== undefined) found.push(originCondition(trigger));
  // A run that ends while it is paused stays so in its row.
  if (paused === true)
    found.push([
      `r.paused_at IS NOT NULL AND r.status IN (${OPEN_STATUSES.map(() => '?').join(',')})`,
      ...OPEN_STATUSES,
    ]);
  if (paused === false) found.push(['r.paused_at IS NULL']);
  if (since !== undefined) found.push(['r.created_at >= ?', since]);
  if (until !== undefined) found.push(['r.created_at < ?', until]);
  if (before !== undefined) found.push([`${lead}.run_id < ?`, before]);
  return found;
}
