import { BoundedMap, chunks, inList, type Param, type Queries } from '../../../kernel/contracts/index.ts';
import { type Capabilities, ISOLATES } from '../contract.ts';
import { covers } from '../domain/capabilities.ts';

export interface Candidate {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
  due: number;
  /** It stands in a lane of untrusted runs. */
  untrusted: boolean;
}

interface LaneRow {
  lane: string;
  requires: string;
  untrusted: number;
  due: number | null;
}

interface Lane {
  lane: string;
  untrusted: boolean;
  due: number;
}

/**
 * A claim looks at so many lanes of an executor: whoever makes lanes makes no claim slower. Where there are more, the next
 * look begins where this one ended.
 */
const TRUSTED_LANES = 1000;
const UNTRUSTED_LANES = 250;

/** So often a claim looks on when it has not found enough. */
const LOOKS = 4;

/** Who could claim work of lanes that name no executor. */
const BEFORE_EXECUTORS = 'script';

/** Some lanes of one executor. */
interface Window {
  executor: string | undefined;
  untrusted: 0 | 1;
  most: number;
}

/** Claimers whose looks did not reach the last lane, of which so many are remembered. */
const MOST_CLAIMERS = 1000;

/** Where such looks go on: for each window of a claimer the lane after which it begins. */
export class LaneWindows {
  readonly #after = new BoundedMap<string, readonly string[]>(MOST_CLAIMERS);

  after(claimer: string): readonly string[] {
    return this.#after.get(claimer) ?? [];
  }

  /** Empty names: from the first lane on. */
  goOn(claimer: string, after: readonly string[]): void {
    if (after.every((lane) => lane === '')) this.#after.delete(claimer);
    else this.#after.set(claimer, after);
  }
}

function windowsOf({ executors, untrusted_room }: Capabilities): Window[] {
  const own = executors?.includes(BEFORE_EXECUTORS) ? ['', ...executors] : executors;
  return (own ?? [undefined]).flatMap((executor): Window[] => [
    { executor, untrusted: 0, most: TRUSTED_LANES },
    ...(untrusted_room === 0 ? [] : [{ executor, untrusted: 1 as const, most: UNTRUSTED_LANES }]),
  ]);
}

interface WindowRow extends LaneRow {
  nth: number;
}

/**
 * Reads lanes that these capabilities may claim from, whatever they require, with the oldest pending activity of each: one
 * index entry for each, however many activities wait in it.
 */
function readWindows(
  on: Pick<Queries, 'read'>,
  windows: readonly Window[],
  { org_id, project_id }: Capabilities,
  after: readonly string[],
): Promise<WindowRow[]> {
  const params: Param[] = project_id === undefined ? [] : [project_id];
  const parts = windows.map(({ executor, untrusted, most }, nth) => {
    const first = after[nth] || (org_id === undefined ? '' : `${org_id}:`);
    const where = [`untrusted = ${untrusted}`, 'lane > ?'];
    if (executor !== undefined) params.push(executor);
    params.push(first);
    if (org_id !== undefined) {
      where.push('lane < ?');
      // The character after the colon.
      params.push(`${org_id};`);
    }
    if (executor !== undefined) where.unshift('executor = ?');
    return `SELECT * FROM (SELECT ${nth} AS nth, lane, requires, untrusted FROM runs_lanes
      WHERE ${where.join(' AND ')} ORDER BY lane LIMIT ${most}) w${nth}`;
  });
  // Looks past the activities of other projects.
  const own = project_id === undefined ? '' : ' AND a.project_id = ?';
  return on.read<WindowRow>(
    `SELECT l.nth, l.lane, l.requires, l.untrusted, (SELECT a.due FROM runs_activities a
     WHERE a.state = 'pending' AND a.lane = l.lane${own} ORDER BY a.due LIMIT 1) AS due FROM (${parts.join(' UNION ALL ')}) l`,
    params,
  );
}

/**
 * The activities that these capabilities cover, at most `limit`: those of trusted runs first, and of each kind the oldest.
 * Activities with other requirements are not read, so they hide nothing; nor are those of untrusted runs where trusted ones
 * fill the limit, or nobody has room for them. What belongs to a run or a project with as many slots as it may have is passed
 * over, so that it hides nothing either. Where there are more lanes than a claim looks at, the oldest may be found by a later one.
 */
export async function findCandidates(
  on: Pick<Queries, 'read'>,
  by: Capabilities,
  limit: number,
  now: number,
  looked = new LaneWindows(),
): Promise<Candidate[]> {
  const windows = windowsOf(by);
  if (windows.length === 0) return [];
  const capabilities = new Set(by.capabilities);
  const claimer = JSON.stringify([by.org_id, windows]);
  const seen = new Set<string>();
  let found: Candidate[] = [];
  let whole = false;
  for (let look = 0; look < LOOKS && found.length < limit && !whole; look += 1) {
    const after = looked.after(claimer);
    const rows = await readWindows(on, windows, by, after);
    const ends = windows.map(({ most }, nth) => endOf(rows, nth, most));
    looked.goOn(claimer, ends);
    whole = [...after, ...ends].every((lane) => lane === '');
    const fresh = rows.filter(({ lane }) => !seen.has(lane));
    for (const { lane } of fresh) seen.add(lane);
    const lanes = fresh.flatMap((row) => claimable(row, by, capabilities, now)).sort(inTurn);
    found = await takeFrom(on, lanes, by, { found, limit, now });
  }
  return found;
}

/** Where the next look goes on: after the last lane of a full window. */
function endOf(rows: readonly WindowRow[], nth: number, most: number): string {
  const own = rows.filter((row) => row.nth === nth).map(({ lane }) => lane);
  return own.length < most ? '' : own.reduce((a, b) => (a < b ? b : a));
}

async function takeFrom(
  on: Pick<Queries, 'read'>,
  lanes: readonly Lane[],
  by: Capabilities,
  { found: before, limit, now }: { found: Candidate[]; limit: number; now: number },
): Promise<Candidate[]> {
  let found = before;
  for (const lane of lanes) {
    if (found.length >= limit && inTurn(found[limit - 1]!, lane) < 0) break;
    const next = await ofLane(on, lane, by, limit, now);
    found = firstOf([...found, ...next.map((one) => ({ ...one, untrusted: lane.untrusted }))], limit);
  }
  return found;
}

/** The lane, if something waits in it that may be taken now. */
function claimable(
  { lane, requires, untrusted: flag, due }: LaneRow,
  by: Capabilities,
  capabilities: ReadonlySet<string>,
  now: number,
): Lane[] {
  if (due === null || due > now) return [];
  const required = JSON.parse(requires) as string[];
  if (!covers(capabilities, required)) return [];
  if (by.isolated_only && !required.includes(ISOLATES)) return [];
  // Servers of an earlier version do not mark the lanes that they make.
  const untrusted = flag === 1 || required.includes(ISOLATES);
  return untrusted && by.untrusted_room === 0 ? [] : [{ lane, untrusted, due }];
}

/** Trusted work first, then by age. */
const inTurn = (a: Pick<Lane, 'untrusted' | 'due'>, b: Pick<Lane, 'untrusted' | 'due'>): number =>
  Number(a.untrusted) - Number(b.untrusted) || a.due - b.due;

function ofLane(
  on: Pick<Queries, 'read'>,
  { lane, untrusted }: Lane,
  { project_id, slots }: Capabilities,
  limit: number,
  now: number,
): Promise<Omit<Candidate, 'untrusted'>[]> {
  const condition = project_id === undefined ? '' : ' AND project_id = ?';
  const full = slots?.full({ trusted: !untrusted });
  const runs = noneOf('run_id', full?.runs ?? []);
  const projects = noneOf('project_id', full?.projects ?? []);
  return on.read<Omit<Candidate, 'untrusted'>>(
    `SELECT activity_id, run_id, org_id, project_id, due FROM runs_activities
     WHERE state = 'pending' AND lane = ? AND due <= ?${condition}${runs.condition}${projects.condition}
     ORDER BY due, activity_id LIMIT ${Math.trunc(limit)}`,
    [lane, now, ...(project_id === undefined ? [] : [project_id]), ...runs.params, ...projects.params],
  );
}

/** Leaves out rows with these values; without any, the statement stays as it is. */
function noneOf(column: string, values: readonly string[]): { condition: string; params: string[] } {
  const lists = chunks(values).map((part) => inList(part));
  return {
    condition: lists.map(({ marks }) => ` AND ${column} NOT IN ${marks}`).join(''),
    params: lists.flatMap(({ params }) => params),
  };
}

const firstOf = (found: readonly Candidate[], limit: number): Candidate[] =>
  found.toSorted((a, b) => inTurn(a, b) || (a.activity_id < b.activity_id ? -1 : 1)).slice(0, limit);
