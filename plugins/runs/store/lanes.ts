import { inList, type Queries } from '../../../kernel/contracts/index.ts';
import { type Capabilities, ISOLATES } from '../contract.ts';
import { covers } from '../domain/capabilities.ts';

export interface Candidate {
  activity_id: string;
  run_id: string;
  org_id: string;
  due: number;
}

interface LaneRow {
  lane: string;
  requires: string;
  due: number | null;
}

/** The oldest pending activity of each lane: one index entry for each, however many activities wait in it. */
const oldestOfLanes = (condition: string) => `SELECT l.lane, l.requires, (SELECT a.due FROM runs_activities a
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
 * The oldest activities that these capabilities cover, at most `limit`. Activities with other requirements are not
 * read, so they hide nothing.
 */
export async function findCandidates(
  on: Pick<Queries, 'read'>,
  by: Capabilities,
  limit: number,
  now: number,
): Promise<Candidate[]> {
  const oldest = await lanesFor(on, by);
  const capabilities = new Set(by.capabilities);
  const takes = (requires: readonly string[]): boolean =>
    covers(capabilities, requires) && (!by.isolated_only || requires.includes(ISOLATES));
  const lanes = oldest
    .filter(({ due, requires }) => due !== null && due <= now && takes(JSON.parse(requires) as string[]))
    .sort((a, b) => a.due! - b.due!);
  let found: Candidate[] = [];
  for (const { lane, due } of lanes) {
    if (found.length >= limit && found[limit - 1]!.due < due!) break;
    found = oldestOf([...found, ...(await ofLane(on, lane, by, limit, now))], limit);
  }
  return found;
}

function ofLane(
  on: Pick<Queries, 'read'>,
  lane: string,
  { project_id }: Capabilities,
  limit: number,
  now: number,
): Promise<Candidate[]> {
  const condition = project_id === undefined ? '' : ' AND project_id = ?';
  return on.read<Candidate>(
    `SELECT activity_id, run_id, org_id, due FROM runs_activities
     WHERE state = 'pending' AND lane = ? AND due <= ?${condition} ORDER BY due, activity_id LIMIT ${Math.trunc(limit)}`,
    [lane, now, ...(project_id === undefined ? [] : [project_id])],
  );
}

const oldestOf = (found: readonly Candidate[], limit: number): Candidate[] =>
  found.toSorted((a, b) => a.due - b.due || (a.activity_id < b.activity_id ? -1 : 1)).slice(0, limit);
