import { labelled, type Output } from '../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { runningCall } from '../explain/under-way.ts';

/** ` for signal "approved" until …`, or an empty text. */
export function waitsFor(run: RunView): string {
  if (!run.substate) return '';
  const { kind, name, deadline } = run.substate;
  const until = deadline === undefined ? '' : ` until ${deadline}`;
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
    ['status', `${paint(run.status, output)}${waitsFor(run)}`],
    ...now(run.running ?? []),
    ['subject', run.subject],
    ['tags', run.tags.join(', ')],
    ['parent', run.parent],
    ['rerun of', run.rerun_of],
    ['created', run.created_at],
    ['started', run.started_at],
    ['finished', run.finished_at],
    ['trace', run.trace_url ?? run.trace_id],
    ['deadline', run.finished_at === undefined ? run.deadline : undefined],
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

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
