import {
  type Database,
  type Transaction,
  BoundedMap,
  chunks,
  inList,
  type Param,
  type Queries,
} from '../../../../../kernel/contracts/index.ts';
import { ISOLATES, type NewActivity, type Capabilities } from '../../contract.ts';
import { normalRequires, covers } from '../../domain/capabilities.ts';
import { passWithinProjects } from '../../domain/priority.ts';
import { queueKey } from '../rows/sealing.ts';

const MAX_CACHED_QUEUES = 10_000;

/** How long a process assumes that a row of `runs_lanes` exists. Far shorter than `IDLE_QUEUE_MS`, so that it commits before the row can be removed. */
const CACHED_MS = 10 * 60_000;

/** The time of use is written again when the stored one is older. */
const USE_WRITTEN_MS = 5 * 60_000;

/**
 * The task queues of activities, stored in `runs_lanes`: one for each org, executor and set of requirements. A queue contains
 * work of trusted runs or of untrusted runs, never of both. Work with a priority has queues of its own, one for each project and
 * priority. `removeIdleLanes` removes unused queues, so a cached queue is looked
 * up again after `CACHED_MS`.
 */
export class TaskQueues {
  /** When the row of each queue was last seen. */
  readonly #seen_at = new Map<string, number>();
  readonly #inProcessExecutors: () => Iterable<string>;
  readonly #now: () => number;
  #in_process: ReadonlySet<string> | undefined;

  /**
   * `inProcessExecutors`: those whose untrusted work needs no isolation, because it starts no program. `now`: epoch ms by the
   * database's clock.
   */
  constructor(inProcessExecutors: () => Iterable<string>, now: () => number) {
    this.#inProcessExecutors = inProcessExecutors;
    this.#now = now;
  }

  /** True for executors that run inside the server and start no program. */
  isInProcess(executor: string): boolean {
    this.#in_process ??= new Set(this.#inProcessExecutors());
    return this.#in_process.has(executor);
  }

  /** All capabilities that an agent must have for an activity. */
  requirementsOf({ executor, requires }: Pick<NewActivity, 'executor' | 'requires'>, trusted: boolean): string[] {
    const named = requires.filter((capability) => capability !== ISOLATES);
    return normalRequires(trusted || this.isInProcess(executor) ? named : [...named, ISOLATES]);
  }

  async queueFor(
    on: Database | Transaction,
    org_id: string,
    activity: Pick<NewActivity, 'executor' | 'requires'>,
    { trusted, priority, project_id }: QueuedRun,
  ): Promise<string> {
    const required = this.requirementsOf(activity, trusted);
    const { executor } = activity;
    const level = trusted ? (priority ?? 0) : 0;
    // The requirement of isolation keeps the queues of all other executors apart.
    const apart = trusted || !this.isInProcess(executor) ? undefined : 'untrusted';
    const lane = queueKey(org_id, executor, required, level > 0 ? `${level}:${project_id}` : apart);
    const now = this.#now();
    if (this.#isCached(lane, now)) return lane;
    // In this order: a row whose use was written again is not removed, and one that was removed before is inserted again.
    const refreshed = [now, lane, now - USE_WRITTEN_MS];
    const used = await on.write('UPDATE runs_lanes SET used_at = ? WHERE lane = ? AND used_at < ?', refreshed);
    if (used === 0)
      await on.write(
        `${on.sql.insert_ignore} runs_lanes (lane, org_id, requires, executor, untrusted, priority, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [lane, org_id, JSON.stringify(required), executor, trusted ? 0 : 1, level, now],
      );
    // The row of a transaction can be relied on after its commit.
    if ('afterCommit' in on) on.afterCommit(() => this.#cacheQueue(lane, now));
    else this.#cacheQueue(lane, now);
    return lane;
  }

  /** False also when the clock was set back, because then the time since is unknown. */
  #isCached(lane: string, now: number): boolean {
    const seen = this.#seen_at.get(lane);
    return seen !== undefined && seen <= now && now - seen < CACHED_MS;
  }

  #cacheQueue(lane: string, now: number): void {
    if (this.#seen_at.size >= MAX_CACHED_QUEUES) this.#seen_at.clear();
    this.#seen_at.set(lane, now);
  }
}

/** What decides on the queue of an activity besides what it requires. */
export interface QueuedRun {
  project_id: string;
  trusted: boolean;
  priority?: number | null | undefined;
}

export interface Candidate {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
  due: number;
  /** True if its queue is for untrusted runs. */
  untrusted: boolean;
  /** The priority of its run, which is 0 for untrusted ones. */
  priority: number;
}

interface QueueRow {
  lane: string;
  requires: string;
  untrusted: number;
  priority: number;
  due: number | null;
}

interface OpenQueue {
  lane: string;
  untrusted: boolean;
  priority: number;
  due: number;
}

/**
 * How many queues of an executor a claim reads, so that many queues make no claim slower. Where there are more, the next read
 * begins where this one ended.
 */
const MAX_TRUSTED_QUEUES = 1000;
const MAX_UNTRUSTED_QUEUES = 250;

/** Maximum number of reads in one claim; it continues with further queues until it has found enough. */
const MAX_READS = 4;

/** Earlier versions did not store the executor of a queue. Such queues may contain work of this executor. */
const LEGACY_EXECUTOR = 'script';

/** A range of queues of one executor. */
interface QueueRange {
  executor: string | undefined;
  untrusted: 0 | 1;
  most: number;
}

/** For how many claimers a position is stored, if their reads did not reach the last queue. */
const MAX_CLAIMERS = 1000;

/** For each range of a claimer, the queue after which its next read continues. */
export class QueuePositions {
  readonly #after = new BoundedMap<string, readonly string[]>(MAX_CLAIMERS);

  readAfter(claimer: string): readonly string[] {
    return this.#after.get(claimer) ?? [];
  }

  /** An empty name means that the next read begins with the first queue. */
  advance(claimer: string, after: readonly string[]): void {
    if (after.every((lane) => lane === '')) this.#after.delete(claimer);
    else this.#after.set(claimer, after);
  }
}

function rangesFor({ executors, untrusted_room }: Capabilities): QueueRange[] {
  const own = executors?.includes(LEGACY_EXECUTOR) ? ['', ...executors] : executors;
  return (own ?? [undefined]).flatMap((executor): QueueRange[] => [
    { executor, untrusted: 0, most: MAX_TRUSTED_QUEUES },
    ...(untrusted_room === 0 ? [] : [{ executor, untrusted: 1 as const, most: MAX_UNTRUSTED_QUEUES }]),
  ]);
}

interface RangeRow extends QueueRow {
  nth: number;
}

/**
 * Reads queues whatever they require, each with its oldest pending activity: one index entry each, however many activities
 * wait in it.
 */
function readQueues(
  on: Pick<Queries, 'read' | 'sql'>,
  ranges: readonly QueueRange[],
  { org_id, project_id }: Capabilities,
  after: readonly string[],
): Promise<RangeRow[]> {
  const params: Param[] = [];
  // Skips the activities of other projects.
  const own = project_id === undefined ? '' : ' AND a.project_id = ?';
  const parts = ranges.map(({ executor, untrusted, most }, nth) => {
    const first = after[nth] || (org_id === undefined ? '' : `${org_id}:`);
    const where = [`untrusted = ${untrusted}`, 'lane > ?'];
    if (project_id !== undefined) params.push(project_id);
    if (executor !== undefined) params.push(executor);
    params.push(first);
    if (org_id !== undefined) {
      where.push('lane < ?');
      // The character after the colon.
      params.push(`${org_id};`);
    }
    if (executor !== undefined) where.unshift('executor = ?');
    const part = `SELECT ${nth} AS nth, lane, requires, untrusted, priority, (SELECT a.due FROM runs_activities a
      WHERE a.state = 'pending' AND a.lane = runs_lanes.lane${own} ORDER BY a.due LIMIT 1) AS due FROM runs_lanes
      WHERE ${where.join(' AND ')} ORDER BY lane LIMIT ${most}`;
    // MariaDB would store derived tables on disk, because of the text of `requires`. When another node aborts such a
    // statement, dropping its table crashes MariaDB 10.11.
    return on.sql.family === 'mysql' ? `(${part})` : `SELECT * FROM (${part})`;
  });
  return on.read<RangeRow>(parts.join(' UNION ALL '), params);
}

/**
 * Finds up to `limit` activities that these capabilities cover: first those of trusted runs, then those of untrusted runs, each
 * from the oldest on, except that priorities order the work of a project. Activities that the claimer cannot run are not read, so they never hide others: those with other
 * requirements, untrusted ones without capacity for them, and those of orgs, runs and projects without a free slot. If there are more
 * queues than one claim reads, the oldest activity may only be found by a later claim.
 */
export async function findCandidates(
  on: Pick<Queries, 'read' | 'sql'>,
  by: Capabilities,
  limit: number,
  now: number,
  positions = new QueuePositions(),
): Promise<Candidate[]> {
  const ranges = rangesFor(by);
  if (ranges.length === 0) return [];
  const capabilities = new Set(by.capabilities);
  const claimer = JSON.stringify([by.org_id, ranges]);
  const seen = new Set<string>();
  let candidates: Candidate[] = [];
  const prioritized: Candidate[] = [];
  let has_read_all = false;
  for (let reads = 0; reads < MAX_READS && candidates.length < limit && !has_read_all; reads += 1) {
    const after = positions.readAfter(claimer);
    const rows = await readQueues(on, ranges, by, after);
    const ends = ranges.map(({ most }, nth) => endOfRange(rows, nth, most));
    positions.advance(claimer, ends);
    has_read_all = [...after, ...ends].every((lane) => lane === '');
    const unseen = rows.filter(({ lane }) => !seen.has(lane));
    for (const { lane } of unseen) seen.add(lane);
    const queues = unseen.flatMap((row) => openQueue(row, by, capabilities, now)).sort(byTrustAndAge);
    candidates = await collectCandidates(on, queues, by, { candidates, prioritized, limit, now });
  }
  return passWithinProjects(candidates, prioritized);
}

/** Where the next read continues: after the last queue of a full range. */
function endOfRange(rows: readonly RangeRow[], nth: number, most: number): string {
  const lanes = rows.filter((row) => row.nth === nth).map(({ lane }) => lane);
  return lanes.length < most ? '' : lanes.reduce((a, b) => (a < b ? b : a));
}

async function collectCandidates(
  on: Pick<Queries, 'read'>,
  queues: readonly OpenQueue[],
  by: Capabilities,
  {
    candidates: before,
    prioritized,
    limit,
    now,
  }: { candidates: Candidate[]; prioritized: Candidate[]; limit: number; now: number },
): Promise<Candidate[]> {
  let candidates = before;
  for (const queue of queues) {
    const { untrusted, priority } = queue;
    // Prioritized work may pass older work of its project.
    const is_behind = candidates.length >= limit && byTrustAndAge(candidates[limit - 1]!, queue) < 0;
    if (is_behind && priority === 0) continue;
    const activities = await readQueue(on, queue, by, limit, now);
    const added = activities.map((activity) => ({ ...activity, untrusted, priority }));
    if (priority > 0) prioritized.push(...added);
    candidates = firstByAge([...candidates, ...added], limit);
  }
  return candidates;
}

/** Returns the queue if it contains an activity that may be claimed now. */
function openQueue(
  { lane, requires, untrusted: flag, priority, due }: QueueRow,
  by: Capabilities,
  capabilities: ReadonlySet<string>,
  now: number,
): OpenQueue[] {
  if (due === null || due > now) return [];
  const required = JSON.parse(requires) as string[];
  if (!covers(capabilities, required)) return [];
  if (by.isolated_only && !required.includes(ISOLATES)) return [];
  // Servers of an earlier version do not mark the queues that they insert.
  const untrusted = flag === 1 || required.includes(ISOLATES);
  return untrusted && by.untrusted_room === 0 ? [] : [{ lane, untrusted, priority, due }];
}

/** Trusted work first, then by age. */
const byTrustAndAge = (a: Pick<OpenQueue, 'untrusted' | 'due'>, b: Pick<OpenQueue, 'untrusted' | 'due'>): number =>
  Number(a.untrusted) - Number(b.untrusted) || a.due - b.due;

function readQueue(
  on: Pick<Queries, 'read'>,
  { lane, untrusted }: OpenQueue,
  { project_id, slots }: Capabilities,
  limit: number,
  now: number,
): Promise<Omit<Candidate, 'untrusted' | 'priority'>[]> {
  const condition = project_id === undefined ? '' : ' AND project_id = ?';
  const full = slots?.full({ trusted: !untrusted });
  if (full?.orgs?.some((org_id) => lane.startsWith(`${org_id}:`))) return Promise.resolve([]);
  const runs = excludes('run_id', full?.runs ?? []);
  const projects = excludes('project_id', full?.projects ?? []);
  return on.read<Omit<Candidate, 'untrusted' | 'priority'>>(
    `SELECT activity_id, run_id, org_id, project_id, due FROM runs_activities
     WHERE state = 'pending' AND lane = ? AND due <= ?${condition}${runs.condition}${projects.condition}
     ORDER BY due, activity_id LIMIT ${Math.trunc(limit)}`,
    [lane, now, ...(project_id === undefined ? [] : [project_id]), ...runs.params, ...projects.params],
  );
}

/** The condition that leaves out rows with these values; empty without values. */
function excludes(column: string, values: readonly string[]): { condition: string; params: string[] } {
  const lists = chunks(values).map((part) => inList(part));
  return {
    condition: lists.map(({ placeholders }) => ` AND ${column} NOT IN ${placeholders}`).join(''),
    params: lists.flatMap(({ params }) => params),
  };
}

const firstByAge = (candidates: readonly Candidate[], limit: number): Candidate[] =>
  candidates.toSorted((a, b) => byTrustAndAge(a, b) || (a.activity_id < b.activity_id ? -1 : 1)).slice(0, limit);

/**
 * A queue that was unused for this long is removed, unless it contains activities. Far longer than a process relies on a
 * cached row (`TaskQueues`) and than any transaction lasts, so that nothing is ever put into a queue that was removed.
 */
export const IDLE_QUEUE_MS = 60 * 60_000;

/**
 * Removes queues that nobody uses; otherwise each requirement that anybody ever named would stay forever. Queues in which
 * something stands count as used. Answers how many queues it has examined.
 */
export async function removeIdleLanes(
  database: Pick<Database, 'now' | 'read' | 'transaction'>,
  limit: number,
): Promise<number> {
  const most = Math.max(1, Math.min(Math.trunc(limit), 1000));
  const now = database.now();
  const unused = await database.read<{ lane: string }>(
    `SELECT lane FROM runs_lanes WHERE used_at < ? ORDER BY used_at LIMIT ${most}`,
    [now - IDLE_QUEUE_MS],
  );
  if (unused.length === 0) return 0;
  const lanes = unused.map(({ lane }) => lane);
  await database.transaction(async (tx) => {
    const occupied = await readOccupied(tx, lanes);
    if (occupied.size > 0) {
      const list = inList([...occupied]);
      await tx.write(`UPDATE runs_lanes SET used_at = ? WHERE lane IN ${list.placeholders}`, [now, ...list.params]);
    }
    const idle = lanes.filter((lane) => !occupied.has(lane));
    if (idle.length === 0) return;
    const list = inList(idle);
    await tx.write(`DELETE FROM runs_lanes WHERE lane IN ${list.placeholders} AND used_at < ?`, [
      ...list.params,
      now - IDLE_QUEUE_MS,
    ]);
  });
  return unused.length;
}

/** The queues in which an activity is pending, claimed or parked. */
async function readOccupied(tx: Transaction, lanes: readonly string[]): Promise<Set<string>> {
  const list = inList(lanes);
  const holds = (state: string) =>
    `EXISTS (SELECT 1 FROM runs_activities a WHERE a.state = '${state}' AND a.lane = l.lane)`;
  const [waiting, claimed] = [
    await tx.read<{ lane: string }>(
      `SELECT l.lane FROM runs_lanes l WHERE l.lane IN ${list.placeholders} AND (${holds('pending')} OR ${holds('parked')})`,
      list.params,
    ),
    // Few activities are claimed, because each fills a slot, and SQLite has no index of them by queue.
    await tx.read<{ lane: string }>(
      `SELECT DISTINCT lane FROM runs_activities WHERE state = 'claimed' AND lane IN ${list.placeholders}`,
      list.params,
    ),
  ];
  return new Set([...waiting, ...claimed].map(({ lane }) => lane));
}
