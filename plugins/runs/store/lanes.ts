import { chunks, inList, type Queries } from '../../../kernel/contracts/index.ts';
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

/** The oldest pending activity of each lane: one index entry for each, however many activities wait in it. */
const oldestOfLanes = (
  condition: string,
) => `SELECT l.lane, l.requires, l.untrusted, (SELECT a.due FROM runs_activities a
  WHERE a.state = 'pending' AND a.lane = l.lane${condition} ORDER BY a.due LIMIT 1) AS due FROM runs_lanes l`;
const OLDEST = oldestOfLanes('');
/** Looks past the activities of other projects. */
const OLDEST_OF_PROJECT = oldestOfLanes(' AND a.project_id = ?');

/** Who could claim work of lanes that name no executor. */
const BEFORE_EXECUTORS = 'script';

/** Reads the lanes that these capabilities may claim from, whatever they require. */
function lanesFor(on: Pick<Queries, 'read'>, { org_id, project_id, executors }: Capabilities): Promise<LaneRow[]> {
  const where: string[] = [];
  const params: string[] = project_id === undefined ? [] : [project_id];
  const oldest = project_id === undefined ? OLDEST : OLDEST_OF_PROJECT;
  if (org_id !== undefined) {
    where.push('l.org_id = ?');
    params.push(org_id);
  }
  if (executors?.length === 0) return Promise.resolve([]);
  if (executors !== undefined) {
    const list = inList(executors.includes(BEFORE_EXECUTORS) ? ['', ...executors] : executors);
    where.push(`l.executor IN ${list.marks}`);
    params.push(...list.params);
  }
  return on.read<LaneRow>(where.length === 0 ? oldest : `${oldest} WHERE ${where.join(' AND ')}`, params);
}

/**
 * The activities that these capabilities cover, at most `limit`: those of trusted runs first, and of each kind the oldest.
 * Activities with other requirements are not read, so they hide nothing; nor are those of untrusted runs where trusted ones
 * fill the limit, or nobody has room for them. What belongs to a run or a project with as many slots as it may have is passed
 * over, so that it hides nothing either.
 */
export async function findCandidates(
  on: Pick<Queries, 'read'>,
  by: Capabilities,
  limit: number,
  now: number,
): Promise<Candidate[]> {
  const rows = await lanesFor(on, by);
  const capabilities = new Set(by.capabilities);
  const lanes = rows.flatMap((row) => claimable(row, by, capabilities, now)).sort(inTurn);
  let found: Candidate[] = [];
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
