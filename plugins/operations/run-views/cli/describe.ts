import { formatLabels, type Output, formatSpan } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { describeRunningCall } from '../explain/in-flight.ts';

/** ` (signal approved, 3m left)`, or an empty text. */
export function describeWait(run: RunView, output: Output): string {
  if (!run.substate) return '';
  const { kind, name, deadline } = run.substate;
  const until = deadline === undefined ? '' : `${output.relative ? ',' : ''} ${output.until(deadline)}`;
  return ` (${kind}${name === '' || name === kind ? '' : ` ${name}`}${until})`;
}

const COLOURS = {
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  waiting: 'cyan',
  running: 'blue',
  queued: 'dim',
} as const;

export const paint = (status: RunView['status'], output: Output) => output.colours[COLOURS[status]](status);

/** The status of a run, what it waits for, and whether it is paused. */
export const describeStatus = (run: RunView, output: Output): string =>
  `${paint(run.status, output)}${describeWait(run, output)}${run.paused ? `, ${output.colours.yellow('paused')}` : ''}`;

function describePause({ paused }: RunView, output: Output): string | undefined {
  if (!paused) return undefined;
  const who = paused.by === undefined ? '' : ` by ${paused.by}`;
  const caller = paused.with === undefined ? '' : ` together with ${paused.with}`;
  const why = paused.reason === undefined ? '' : `: ${paused.reason}`;
  return `${output.time(paused.at)}${who}${caller}${why}`;
}

/** A run for people: one line for each known fact. */
export function describeRun(run: RunView, output: Output): string {
  return formatLabels([
    ['run', run.run_id],
    ['workflow', `${run.workflow} (${run.kind})`],
    ['status', describeStatus(run, output)],
    ['paused', describePause(run, output)],
    ...describeRunning(run.running ?? []),
    ['subject', run.subject],
    ['tags', run.tags.join(', ')],
    ['parent', run.parent],
    ['rerun of', run.rerun_of],
    ['priority', run.priority === undefined ? undefined : String(run.priority)],
    ['created', output.time(run.created_at)],
    ['started', output.time(run.started_at)],
    ['finished', describeEnd(run, output)],
    ['trace', run.trace_url ?? run.trace_id],
    ['deadline', run.finished_at === undefined ? output.time(run.deadline) : undefined],
    ['output', isEmpty(run.output) ? undefined : JSON.stringify(run.output)],
    ['error', run.error ? `${run.error.message} (${run.error.code})` : undefined],
    ['reason', run.reason],
    ...run.annotations.map((note) => ['note', note] as const),
  ]);
}

/** Calls under way that are shown; `--json` has more. */
const MAX_RUNNING = 5;

/** What agents carry out at this moment, a line each. */
function describeRunning(calls: NonNullable<RunView['running']>): [string, string][] {
  const at = Date.now();
  const lines = calls.slice(0, MAX_RUNNING).map((call) => describeRunningCall(call, at));
  if (calls.length > MAX_RUNNING) lines.push(`and ${calls.length - MAX_RUNNING} more`);
  return lines.map((line) => ['now', line]);
}

function describeEnd(run: RunView, output: Output): string {
  const time = output.time(run.finished_at);
  return time === '' || run.started_at === undefined || !output.relative
    ? time
    : `${time}, took ${formatDuration(run)}`;
}

/** How long a run has taken, so far if it goes on; empty before its start. */
export const formatDuration = ({ started_at, finished_at }: RunView): string =>
  started_at === undefined
    ? ''
    : formatSpan((finished_at === undefined ? Date.now() : Date.parse(finished_at)) - Date.parse(started_at));

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
