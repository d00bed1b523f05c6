import type { Queries } from '../../../kernel/contracts/index.ts';
import type { Step, StepChild } from './render.ts';

interface ChildRow {
  activity_id: string;
  parent: string;
  name: string;
  state: string;
  exit_code: number | null;
  agent_id: string | null;
  requires: string | null;
}

const STATES: Record<string, StepChild['state']> = {
  pending: 'queued',
  claimed: 'running',
  parked: 'waiting',
  cancelled: 'cancelled',
};

/** The steps, and with each that speaks of a child how that child stands. */
export async function withChildren<S extends Step>(
  on: Pick<Queries, 'read'>,
  run_id: string,
  steps: readonly S[],
): Promise<S[]> {
  if (!steps.some(speaksOfChild)) return [...steps];
  const rows = await on.read<ChildRow>(
    `SELECT a.activity_id, a.parent, a.name, a.state, a.exit_code, a.agent_id, l.requires FROM runs_activities a
     LEFT JOIN runs_lanes l ON l.lane = a.lane WHERE a.run_id = ? AND a.parent IS NOT NULL`,
    [run_id],
  );
  const children = new Map(rows.map((row) => [`${row.parent} ${row.name}`, childOf(row)]));
  return steps.map((step) => {
    const child = speaksOfChild(step) ? children.get(`${step.activity_id} ${step.name}`) : undefined;
    return child === undefined ? step : { ...step, child };
  });
}

const speaksOfChild = ({ kind, name }: Step): boolean => kind.startsWith('activity') && name !== '';

function childOf({ activity_id, state, exit_code, agent_id, requires: required }: ChildRow): StepChild {
  const open = STATES[state];
  const agent = agent_id === null ? {} : { agent_id };
  const needs = JSON.parse(required ?? '[]') as string[];
  const requires = needs.length === 0 ? {} : { requires: needs };
  if (open !== undefined) return { activity_id, state: open, ...requires, ...agent };
  return { activity_id, state: 'ended', ...requires, exit_code: exit_code ?? (state === 'done' ? 0 : 1) };
}
