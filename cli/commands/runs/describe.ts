import type { RunView } from '../../client/types.ts';
import type { Output } from '../../output/output.ts';

/** ` for signal "approved" until …`, or nothing. */
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

/** The whole run for people: a line a fact, only those that there are. */
export function describe(run: RunView, output: Output): string {
  const rows: [string, string | undefined | null][] = [
    ['run', run.run_id],
    ['workflow', `${run.workflow} (${run.kind})`],
    ['status', `${paint(run.status, output)}${waitsFor(run)}`],
    ['subject', run.subject],
    ['tags', run.tags.join(', ')],
    ['parent', run.parent],
    ['rerun of', run.rerun_of],
    ['created', run.created_at],
    ['started', run.started_at],
    ['finished', run.finished_at],
    ['output', isEmpty(run.output) ? undefined : JSON.stringify(run.output)],
    ['error', run.error ? `${run.error.message} (${run.error.code})` : undefined],
    ['reason', run.reason],
    ...run.annotations.map((note): [string, string] => ['note', note]),
  ];
  return rows
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${name.padEnd(9)} ${value}`)
    .join('\n');
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
