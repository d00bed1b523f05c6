import type { Reader } from '../store/parts.ts';
import { type ChildRow, readChildren, type Step } from '../store/steps.ts';
import type { ShownStep, StepChild } from './render.ts';

const STATES: Record<string, StepChild['state']> = {
  pending: 'queued',
  claimed: 'running',
  parked: 'waiting',
  cancelled: 'cancelled',
};

/** The steps; a step that concerns a child also shows the child's state. */
export async function withChildren(on: Reader, run_id: string, steps: readonly Step[]): Promise<ShownStep[]> {
  if (!steps.some(speaksOfChild)) return [...steps];
  const rows = await readChildren(on, run_id);
  const children = new Map(rows.map((row) => [`${row.parent} ${row.name}`, childOf(row)]));
  return steps.map((step) => {
    const child = speaksOfChild(step) ? children.get(`${step.activity_id} ${step.name}`) : undefined;
    return child === undefined ? step : { ...step, child };
  });
}

const speaksOfChild = ({ kind, name }: Step): boolean => kind.startsWith('activity') && name !== '';

function childOf({ activity_id, state, exit_code, agent_id, requires: required }: ChildRow): StepChild {
  const open = STATES[state];
  const needs = JSON.parse(required ?? '[]') as string[];
  const requires = needs.length === 0 ? undefined : needs;
  if (open !== undefined) return { activity_id, state: open, requires, agent_id: agent_id ?? undefined };
  return { activity_id, state: 'ended', requires, exit_code: exit_code ?? (state === 'done' ? 0 : 1) };
}
