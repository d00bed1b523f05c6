import { labelled, type Output, span } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { runningCall } from '../explain/under-way.ts';

/** ` (signal approved, 3m left)`, or an empty text. */
export function waitsFor(run: RunView, output: Output): string {
  if (!run.substate) return '';
  const { kind, name, deadline } = run.substate;
  const until = deadline === undefined ? '' : `${output.relative ? ',' : ''} ${output.until(deadline)}`;
  return ` (${kind}${name === '' || name === kind ? '' : ` ${name}`}${until})`;
}

const COLOUR = {
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  waiting: 'cyan',
  running: 'blue',
  queued: 'dim',
} as const;

export const paint = (status: RunView['status'], output: Output) => output.colours[COLOUR[status]](status);

/** A run for people: one line for each known fact. */
export function describe(run: RunView, output: Output): string {
  return labelled([
    ['run', run.run_id],
    ['workflow', `${run.workflow} (${run.kind})`],
    ['status', `${paint(run.status, output)}${waitsFor(run, output)}`],
    ...now(run.running ?? []),
    ['subject', run.subject],
    ['tags', run.tags.join(', ')],
    ['parent', run.parent],
    ['rerun of', run.rerun_of],
    ['created', output.time(run.created_at)],
    ['started', output.time(run.started_at)],
    ['finished', finished(run, output)],
    ['trace', run.trace_url ?? run.trace_id],
    ['deadline', run.finished_at === undefined ? output.time(run.deadline) : undefined],
    ['output', isEmpty(run.output) ? undefined : JSON.stringify(run.output)],
    ['error', run.error ? `${run.error.message} (${run.error.code})` : undefined],
    ['reason', run.reason],
    ...run.annotations.map((note) => ['note', note] as const),
  ]);
}

/** Calls under way that are shown; `--json` has more. */
const SHOWN = 5;

/** What agents carry out at this moment, a line each. */
function now(calls: NonNullable<RunView['running']>): [string, string][] {
  const at = Date.now();
  const lines = calls.slice(0, SHOWN).map((call) => runningCall(call, at));
  if (calls.length > SHOWN) lines.push(`and ${calls.length - SHOWN} more`);
  return lines.map((line) => ['now', line]);
}

function finished(run: RunView, output: Output): string {
  const time = output.time(run.finished_at);
  return time === '' || run.started_at === undefined || !output.relative ? time : `${time}, took ${tookOf(run)}`;
}

/** How long a run has taken, so far if it goes on; empty before its start. */
export const tookOf = ({ started_at, finished_at }: RunView): string =>
  started_at === undefined
    ? ''
    : span((finished_at === undefined ? Date.now() : Date.parse(finished_at)) - Date.parse(started_at));

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
