import { formatSpan } from '../../../../cli/output/span.ts';
import type { NodeView, RunView, StepView } from './answers.ts';

/** What an agent carries out now. */
export type Running = NonNullable<StepView['running']>;
type NamedRunning = NonNullable<RunView['running']>[number];

/** `running for 12s on builder-1, attempt 2 of 3`. */
export function describeProgress({ since, agent, ...which }: Omit<Running, 'agent_id'>, now: number): string {
  return `running for ${formatSpan(Math.max(0, now - Date.parse(since)))} on ${agent}${describeAttempt(which)}`;
}

const describeAttempt = ({ attempt, max_attempts }: Pick<Running, 'attempt' | 'max_attempts'>): string =>
  attempt === undefined ? '' : `, attempt ${attempt}${max_attempts === undefined ? '' : ` of ${max_attempts}`}`;

/** The program of a run of a script. */
const MAIN = 'main';

/** `slow#0 running for 12s on builder-1`; where several activities are possible, with the one that does it. */
export function describeRunningCall({ site, label, kind, activity, ...running }: NamedRunning, now: number): string {
  const where = activity === MAIN || kind === 'activity' ? '' : `${activity}: `;
  return `${where}${label ? `${site} (${label})` : site} ${describeProgress(running, now)}`;
}

/** Of a function that keeps the program of its worker from answering; the label says which. */
const BLOCKED = 'blocked';

const isBlocked = ({ kind, running }: StepView): boolean => kind === BLOCKED && running !== undefined;

/** What ends the blocking of an event loop. */
export const adviseOnBlocking = (steps: readonly StepView[]): string[] =>
  steps.some(isBlocked)
    ? [
        'move the long computation out of the event loop, into a step that runs a command or into a worker thread; cancelling the run ends the program if it stays blocked',
      ]
    : [];

/** Sentences on calls that are carried out now. */
export const describeInFlightCalls = (steps: readonly StepView[], now: number): string[] =>
  steps
    .flatMap((step) => {
      const { kind, site, label, running } = step;
      if (!running) return [];
      if (!isBlocked(step)) return [`Now: ${kind} ${site} ${describeProgress(running, now)}.`];
      const span = formatSpan(Math.max(0, now - Date.parse(running.since)));
      return [`Now: ${label ?? site}. The worker ${running.agent} noticed this ${span} ago and keeps the claim.`];
    })
    .slice(0, 5);

/** What the activity of a node carries out now: ` Now: step compile#0 running for 12s on builder-1.` */
export function describeInFlight(activity: NodeView['activity'], now: number): string {
  const running = activity?.running;
  return running ? ` Now: ${running.kind} ${running.site} ${describeProgress(running, now)}.` : '';
}
