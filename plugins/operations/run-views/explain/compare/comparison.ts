import type { NodeView, RunView, StepView } from '../answers.ts';
import { readStepTimes } from '../step-times.ts';

export type AnyStep = StepView | NodeView;

/** One call or node of two runs, found by its site. */
export interface ComparedStep {
  /** The site of a call, the id of a node with its item. */
  site: string;
  /** The verb of a call, the type of a node. */
  kind: string;
  /** Name of the activity; empty for nodes, and where the runs have only one. */
  activity: string;
  verdict: 'same' | 'differs' | 'a' | 'b';
  /** What differs; empty unless `verdict` is `differs`. */
  differs: ('outcome' | 'output' | 'error')[];
  a?: Side;
  b?: Side;
}

/** A call or node as it is compared. */
export interface Side {
  /** `exit 1`, `waiting`, `failed`. */
  outcome: string;
  output: string;
  error: string;
  /** Absent while it goes on. */
  took_ms?: number;
}

export interface AttributeDifference {
  name: string;
  a: string;
  b: string;
  same: boolean;
}

const isNode = (step: AnyStep): step is NodeView => 'node' in step;

export const toText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const durationBetween = (from: string | undefined, to: string | undefined): number | undefined =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : undefined;

function toSide(step: AnyStep): Side {
  if (isNode(step)) {
    const { state, output, error } = step;
    const took_ms = durationBetween(step.started_at, step.finished_at);
    return {
      outcome: state,
      output: toText(output),
      error: formatError(error),
      ...(took_ms !== undefined && { took_ms }),
    };
  }
  const { status, exit_code, stdout, stdout_base64, message } = step;
  const { from, to } = readStepTimes(step);
  const took_ms = durationBetween(from, to);
  return {
    outcome: status === 'recorded' ? `exit ${exit_code}` : status,
    output: stdout ?? (stdout_base64 === undefined ? '' : `base64 ${stdout_base64}`),
    error: message ?? '',
    ...(took_ms !== undefined && { took_ms }),
  };
}

const formatError = (error: { code: string; message: string } | undefined): string =>
  error ? `${error.code}: ${error.message}` : '';

const siteOf = (step: AnyStep): string =>
  isNode(step) ? (step.item === undefined ? step.node : `${step.node}[${step.item}]`) : step.site;

const toKey = (step: AnyStep): string =>
  isNode(step) ? `\0\0${siteOf(step)}` : `${step.activity}\0${step.kind}\0${step.site}`;

function compareSides(step: AnyStep, a: Side | undefined, b: Side | undefined): ComparedStep {
  const differs = a && b ? (['outcome', 'output', 'error'] as const).filter((member) => a[member] !== b[member]) : [];
  return {
    site: siteOf(step),
    kind: isNode(step) ? step.type : step.kind,
    activity: isNode(step) ? '' : step.activity,
    verdict: !b ? 'a' : !a ? 'b' : differs.length > 0 ? 'differs' : 'same',
    differs: [...differs],
    ...(a && { a }),
    ...(b && { b }),
  };
}

/**
 * The calls of two runs beside each other, in the order of the first one; what only the second one has stands after
 * what it comes after there. A site is in a run once, so nothing has to be guessed.
 */
export function alignSteps(a: readonly AnyStep[], b: readonly AnyStep[]): ComparedStep[] {
  const left = new Set(a.map(toKey));
  const right = new Map(b.map((step) => [toKey(step), step]));
  const added = new Map<string | undefined, AnyStep[]>();
  let before: string | undefined;
  for (const [key, step] of right) {
    if (left.has(key)) before = key;
    else added.set(before, [...(added.get(before) ?? []), step]);
  }
  const onlyB = (after: string | undefined) =>
    (added.get(after) ?? []).map((step) => compareSides(step, undefined, toSide(step)));
  const rows = onlyB(undefined);
  for (const step of a) {
    const key = toKey(step);
    const other = right.get(key);
    rows.push(compareSides(step, toSide(step), other && toSide(other)), ...onlyB(key));
  }
  const activities = new Set([...a, ...b].flatMap((step) => (isNode(step) ? [] : [step.activity])));
  return activities.size > 1 ? rows : rows.map((row) => ({ ...row, activity: '' }));
}

/** What is said of two runs as a whole, each in one line. */
export function compareAttributes(a: RunView, b: RunView): AttributeDifference[] {
  const facts: [string, (run: RunView) => string][] = [
    ['Workflow', ({ workflow }) => workflow],
    ['Status', ({ status }) => status],
    ['Started by', ({ trigger }) => trigger.type],
    ['Event', ({ trigger }) => String(trigger.event ?? '')],
    ['Subject', ({ subject = '' }) => subject],
    ['Tags', ({ tags }) => tags.join(' ')],
    ['Trusted', ({ trusted }) => (trusted ? 'yes' : 'no')],
    ['Rerun of', ({ rerun_of = '' }) => rerun_of],
    ['Called by', ({ parent = '' }) => parent],
    ['Needs', ({ requires = [] }) => requires.join(' ')],
    ['Credentials', ({ credentials = {} }) => toText(credentials)],
    ['Error', ({ error }) => error?.code ?? ''],
  ];
  return facts
    .map(([name, of]) => ({ name, a: of(a), b: of(b), same: of(a) === of(b) }))
    .filter((fact) => ![fact.a, fact.b].every((text) => text === '' || text === '{}'));
}

export interface Comparison {
  facts: AttributeDifference[];
  /** How long each took; absent while it goes on. */
  took_ms: { a?: number; b?: number };
  output: { a: string; b: string };
  error: { a: string; b: string };
  steps: ComparedStep[];
}

export function compareRuns(
  a: { run: RunView; steps: readonly AnyStep[] },
  b: { run: RunView; steps: readonly AnyStep[] },
): Comparison {
  const took = ({ run }: { run: RunView }) => durationBetween(run.started_at, run.finished_at);
  const [ofA, ofB] = [took(a), took(b)];
  return {
    facts: compareAttributes(a.run, b.run),
    took_ms: { ...(ofA !== undefined && { a: ofA }), ...(ofB !== undefined && { b: ofB }) },
    output: { a: toText(a.run.output), b: toText(b.run.output) },
    error: { a: formatError(a.run.error), b: formatError(b.run.error) },
    steps: alignSteps(a.steps, b.steps),
  };
}
