import { readAllSteps } from './all-steps.ts';
import { type Output, type Run, formatSpan } from '../../../../cli/contract.ts';
import type { StepView } from '../explain/answers.ts';
import { readStepTimes } from '../explain/step-times.ts';
import { describeProgress } from '../explain/in-flight.ts';
import { formatNodes } from './node-table.ts';
import { renderBars } from './timeline.ts';

/** Terminal widths from which on a timeline of this many characters fits. */
const TIMELINE_WIDTHS: readonly (readonly [columns: number, width: number])[] = [
  [140, 40],
  [100, 24],
  [70, 12],
];

function formatOutcome(step: StepView, output: Output): string {
  const { exit_code, child, run } = step;
  const own = formatOwnOutcome(step, output);
  if (run) return `${own}, ${run.run_id} ${run.status}`;
  if (!child || child.state === 'cancelled') return child ? `${own}, child cancelled` : own;
  // The outcome of a collected child is the outcome of the call itself.
  if (child.state === 'ended') return child.exit_code === exit_code ? own : `${own}, child exit ${child.exit_code}`;
  return `${own}, child ${child.running ? describeProgress(child.running, Date.now()) : child.state}`;
}

function formatOwnOutcome(
  { status, running, child, deadline, exit_code, attempts, max_attempts }: StepView,
  output: Output,
): string {
  const told = running?.attempt ?? child?.running?.attempt;
  const nth = attempts && told === undefined ? [`attempt ${attempts.length + 1} of ${max_attempts}`] : [];
  const waiting = status === 'waiting' ? `waiting${deadline ? ` ${output.until(deadline)}` : ''}` : undefined;
  const now = running && describeProgress(running, Date.now());
  return [now ?? waiting ?? (status === 'recorded' ? `exit ${exit_code}` : status), ...nth].join(', ');
}

/** The attempts of a call before the last one, each as a row of its own below the call. */
const toRows = (step: StepView): Row[] => [{ step }, ...(step.attempts ?? []).map((attempt) => ({ step, attempt }))];

function formatStepDuration(step: StepView): string {
  const { from, to } = readStepTimes(step);
  return to === undefined ? '' : formatSpan(Date.parse(to) - Date.parse(from));
}

const formatOutput = (step: Pick<StepView, 'stdout' | 'stdout_base64'>) =>
  (step.stdout ?? (step.stdout_base64 ? `(binary) ${step.stdout_base64}` : '')).trimEnd();

function renderTimeline(steps: readonly StepView[], columns: number | undefined): string[] | undefined {
  const width = TIMELINE_WIDTHS.find(([least]) => columns !== undefined && columns >= least)?.[1];
  if (width === undefined) return undefined;
  const now = Date.now();
  return renderBars(
    steps.map(readStepTimes).map(({ from, to }) => ({
      from: Date.parse(from),
      to: to === undefined ? now : Date.parse(to),
      open: to === undefined,
    })),
    width,
  );
}

export const run: Run = async ({ args, flags, output, client }) => {
  const { node, calls, output: outputs } = flags as { node?: string; calls?: boolean; output?: boolean };
  const found = await readAllSteps(await client(), args[0]!, { node, calls, output: outputs });
  if (found.nodes) output.data({ steps: found.nodes }, () => formatNodes(found.nodes, output, outputs === true));
  else output.data({ steps: found.steps }, () => formatSteps(found.steps, output, outputs === true));
  if ((found.nodes ?? found.steps).length === 0) output.noteEmpty(found.nodes ? 'nodes' : 'steps');
  return undefined;
};

type Attempt = NonNullable<StepView['attempts']>[number];
interface Row {
  step: StepView;
  attempt?: Attempt;
}

/** The columns of an attempt that failed. */
const ATTEMPT_CELLS: Readonly<Record<string, (attempt: Attempt, step: StepView) => string>> = {
  site: ({ attempt }, { site }) => `  ${site} attempt ${attempt}`,
  outcome: ({ exit_code }) => `exit ${exit_code}`,
  took: ({ started_at, ended_at }) => formatSpan(Math.max(0, Date.parse(ended_at) - Date.parse(started_at))),
  output: (attempt) => formatOutput(attempt) || (attempt.message ?? ''),
};

type Column = [title: string, cell: (step: StepView, i: number) => string];

function formatSteps(steps: readonly StepView[], output: Output, outputs: boolean): string {
  if (steps.length === 0) return '';
  // A script has one journal, and nobody needs its name.
  const several = steps.some((step) => step.activity !== steps[0]!.activity || step.activity !== 'main');
  const bar = outputs ? undefined : renderTimeline(steps, output.columns);
  const columns: Column[] = [
    ['#', (step) => String(step.position)],
    ...(several ? [['activity', (step) => step.activity] as Column] : []),
    ['verb', (step) => step.kind],
    ['site', (step) => (step.label ? `${step.site} (${step.label})` : step.site)],
    ['outcome', (step) => formatOutcome(step, output)],
    ['took', formatStepDuration],
    ...(bar ? [['time', (_, i) => bar[i]!] as Column] : []),
    ...(outputs ? [['output', (step) => formatOutput(step) || (step.message ?? '')] as Column] : []),
  ];
  const cells = ({ step, attempt }: Row, i: number) =>
    columns.map(([title, cell]) => (attempt ? (ATTEMPT_CELLS[title]?.(attempt, step) ?? '') : cell(step, i)));
  const rows = steps.flatMap((step, i) => (outputs ? toRows(step) : [{ step }]).map((row) => cells(row, i)));
  return output.table(
    columns.map(([title]) => title),
    rows,
  );
}
