import { distinct, type Param, type Queries } from '../../../kernel/contracts/index.ts';
import { type RunStatus, TERMINAL } from '../contract.ts';
import { lowestId } from '../../retention/contract.ts';
import type { OriginFilter } from '../domain/origin.ts';
import { keyOf } from './keys.ts';
import { OPEN_STATUSES } from './open-runs.ts';
import { RECORD_BYTES } from './run-columns.ts';

const DAY_MS = 24 * 3_600_000;

/** A query for a page of runs; times in epoch ms, `before` is the last run of the previous page. */
export interface RunFilter {
  statuses: RunStatus[];
  tag: string | undefined;
  workflow: string | undefined;
  subject: string | undefined;
  trigger: OriginFilter | undefined;
  /** Created then or later. */
  since: number | undefined;
  /** Created before. */
  until: number | undefined;
  limit: number;
  before: string | undefined;
}

interface Found {
  run_id: string;
  bytes: number;
}

/** The newest runs that match a filter, and the bytes of their callers' texts. One more than `limit` if there is one. */
export function listRuns(on: Pick<Queries, 'read' | 'sql'>, project_id: string, filter: RunFilter): Promise<Found[]> {
  const { statement, params } = searchOf(on, project_id, filter);
  return on.read(statement, params);
}

/** The statement, for tests that look at its plan. */
export function searchOf({ sql }: Pick<Queries, 'sql'>, project_id: string, filter: RunFilter): Search {
  // SQLite has no index for the runs of every status, which would cost each run a page.
  if (sql.family === 'sqlite' && filter.tag === undefined && leadingIndex(filter) === undefined)
    return statusByStatus(project_id, filter);
  // What leads is read from the newest end: the index of the tag, of a subject or of what started the runs, else all runs.
  const lead = filter.tag === undefined ? 'r' : 't';
  const index = leadingIndex(filter);
  const hint = index && (sql.family === 'mysql' ? `FORCE INDEX (${index})` : `INDEXED BY ${index}`);
  const from = lead === 't' ? 'runs_tags t JOIN runs_runs r ON r.run_id = t.run_id' : `runs_runs r ${hint ?? ''}`;
  return newest(from, lead, project_id, conditionsOf(filter, lead), filter);
}

interface Search {
  statement: string;
  params: Param[];
}

/** The newest runs are among the newest of each status, whose index gives the order. */
function statusByStatus(project_id: string, filter: RunFilter): Search {
  const statuses = filter.statuses.length === 0 ? [...OPEN_STATUSES, ...TERMINAL] : distinct(filter.statuses, String);
  const parts = statuses.map((status) => {
    const conditions = conditionsOf({ ...filter, statuses: [status as RunStatus] }, 'r');
    return newest(
      'runs_runs r INDEXED BY runs_runs_status',
      'r',
      project_id,
      [...conditions, ...bounds(filter)],
      filter,
    );
  });
  return {
    statement: `${parts.map(({ statement }) => `SELECT * FROM (${statement})`).join(' UNION ALL ')}
      ORDER BY run_id DESC LIMIT ${Math.trunc(filter.limit) + 1}`,
    params: parts.flatMap(({ params }) => params),
  };
}

/** Ids begin with their times, so few old runs are looked at. A day is for clocks that were put back: ids do not follow. */
const bounds = ({ since, until }: RunFilter): Condition[] => [
  ...(since === undefined ? [] : [['r.run_id >= ?', lowestId('run', since - DAY_MS)] satisfies Condition]),
  ...(until === undefined ? [] : [['r.run_id < ?', lowestId('run', until + DAY_MS)] satisfies Condition]),
];

const newest = (
  from: string,
  lead: string,
  project_id: string,
  conditions: readonly Condition[],
  { limit }: RunFilter,
): Search => ({
  statement: `SELECT r.run_id, ${RECORD_BYTES} AS bytes FROM ${from}
      WHERE ${[`${lead}.project_id = ?`, ...conditions.map(([condition]) => condition)].join(' AND ')}
      ORDER BY ${lead}.run_id DESC LIMIT ${Math.trunc(limit) + 1}`,
  params: [project_id, ...conditions.flatMap(([, ...values]) => values)],
});

/** Forced, because an optimizer that sees the order walks all runs of the project for the few of one subject. */
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
  const { tag, statuses, workflow, subject, trigger, since, until, before } = filter;
  const found: Condition[] = [];
  if (tag !== undefined) found.push(['t.tag_key = ?', keyOf('tag', tag)]);
  if (statuses.length > 0) found.push([`r.status IN (${statuses.map(() => '?').join(',')})`, ...statuses]);
  // HEX compares bytes in both families; MySQL's binary collations would ignore trailing spaces.
  if (workflow !== undefined) found.push(['HEX(r.workflow) = ?', Buffer.from(workflow).toString('hex').toUpperCase()]);
  if (subject !== undefined) found.push(['r.subject_bytes = ?', Buffer.from(subject)]);
  if (trigger !== undefined) found.push(originCondition(trigger));
  if (since !== undefined) found.push(['r.created_at >= ?', since]);
  if (until !== undefined) found.push(['r.created_at < ?', until]);
  if (before !== undefined) found.push([`${lead}.run_id < ?`, before]);
  return found;
}
