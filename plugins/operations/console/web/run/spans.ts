import type { NodeRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { nodeLabel } from '../../../run-views/explain/node-label.ts';
import { readStepTimes } from '../../../run-views/explain/step-times.ts';
import { titleOf } from '../kit/error-title.ts';
import type { Hue } from '../kit/state.ts';
import { isNode, keyOf } from './keys.ts';

/** A piece of a row. Times are epoch ms. */
export interface Bar {
  state: Hue;
  from: number;
  to: number;
  /** Nothing works meanwhile: a sleep, a wait, a lease that is held. */
  thin?: boolean;
}

/** One row of a timeline: a step of the run, or what belongs to one. */
export interface Entry {
  key: string;
  label: string;
  kind: string;
  state: Hue;
  bars: readonly Bar[];
  from: number;
  to: number;
  /** It goes on: the end is now. */
  open: boolean;
  /** Key of the step that it belongs to, where it is none itself. */
  of?: string;
  children: readonly Entry[];
}

interface When {
  now: number;
  /** When the run was accepted: what was recorded before is kept from the run that it repeats. */
  created: number;
  over: boolean;
}

type Step = StepRecord | NodeRecord;

/** Everything that a run did, in the order in which it began. What has not begun is not there. */
export function entriesOf(steps: readonly Step[], when: When): Entry[] {
  const items = Map.groupBy(
    steps.filter(isNode).filter(({ item }) => item !== undefined),
    ({ node }) => node,
  );
  const entries = steps.flatMap((step, index) => {
    if (!isNode(step)) return [entryOfStep(step, steps[index + 1], when)];
    return step.item === undefined ? entryOfNode(step, when, items.get(step.node)) : [];
  });
  return entries.sort((a, b) => a.from - b.from);
}

/** Kept ones stand first, before what this run did itself. */
export function reusedOf(entries: readonly Entry[]): { reused: Entry[]; own: Entry[] } {
  return {
    reused: entries.filter(({ state }) => state === 'reused'),
    own: entries.filter(({ state }) => state !== 'reused'),
  };
}

const parse = (at: string | undefined): number | undefined => (at === undefined ? undefined : Date.parse(at));

function entryOfStep(step: StepRecord, next: Step | undefined, when: When): Entry {
  const key = keyOf(step);
  const label = step.label ?? step.site.replace(/#0$/, '');
  const base = { key, label, kind: step.kind, children: [] as Entry[] };
  const recorded = parse(step.recorded_at);
  // What is recorded before the run was accepted was not done by it: it takes no time here.
  if (recorded !== undefined && recorded < when.created) return { ...base, ...kept(when.created) };
  const times = readStepTimes(step);
  const to = parse(times.to) ?? when.now;
  // Two clocks: the agent's says when it began, the database's when it was recorded.
  const from = Math.min(Date.parse(times.from), to);
  const open = step.status !== 'recorded';
  const failed = step.exit_code !== undefined && step.exit_code !== 0;
  const waits = WAITS.test(step.kind);
  const state: Hue = open ? (step.status === 'waiting' ? 'waiting' : 'running') : failed ? 'failed' : 'succeeded';
  const attempts = attemptsOf(step, key);
  const tried = attempts.at(-1)?.to ?? from;
  const last: Bar = {
    state: waits && !failed ? 'waiting' : state,
    from: Math.min(to, tried),
    to,
    ...(waits && { thin: true }),
  };
  const children =
    attempts.length === 0
      ? []
      : [
          ...attempts,
          { ...base, ...own(key, `Attempt ${attempts.length + 1}`), state, open, bars: [last], from: last.from, to },
        ];
  const bars = [...attempts.flatMap((one) => one.bars), ...queuedOf(step, last), ...leaseOf(step, next, when)];
  return { ...base, state, open, from, to, bars, children };
}

/** Verbs that only wait. */
const WAITS = /^(sleep|wait-|lock$)/;

const kept = (at: number) => ({
  state: 'reused' as const,
  ...{ from: at, to: at, open: false, bars: [{ state: 'reused' as const, from: at, to: at }] },
});

const own = (of: string, label: string) => ({ key: `${of} ${label}`, of, label });

function attemptsOf(step: StepRecord, of: string): Entry[] {
  return (step.attempts ?? []).map(({ attempt, exit_code, message, started_at, ended_at }) => {
    const bar: Bar = { state: 'retried', from: Date.parse(started_at), to: Date.parse(ended_at) };
    const why = message ? titleOf({ code: '', message }).title : `exit ${exit_code}`;
    return {
      ...own(of, `Attempt ${attempt} · ${why}`),
      ...{ kind: 'attempt', state: 'retried', open: false, bars: [bar], from: bar.from, to: bar.to, children: [] },
    };
  });
}

/** What another agent does lies in the queue first. */
function queuedOf({ child }: StepRecord, last: Bar): Bar[] {
  const begun = parse(child?.begun_at);
  if (begun === undefined || begun <= last.from || begun >= last.to) return [last];
  return [
    { state: 'queued', from: last.from, to: begun },
    { ...last, from: begun },
  ];
}

/** A lease is held until its command is over, or without one until the run is. */
function leaseOf(lock: StepRecord, next: Step | undefined, { now, over }: When): Bar[] {
  const held = parse(lock.recorded_at);
  if (lock.kind !== 'lock' || lock.exit_code !== 0 || held === undefined) return [];
  const command = next && !isNode(next) && next.kind === 'lock-step' && next.activity_id === lock.activity_id;
  const to = command ? (parse(next.recorded_at) ?? now) : now;
  return [{ state: over ? 'queued' : 'reused', from: held, to, thin: true }];
}

const NODE_STATES: Record<NodeRecord['state'], Hue> = {
  waiting: 'queued',
  running: 'running',
  backoff: 'retried',
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
};

function entryOfNode(node: NodeRecord, when: When, items: readonly NodeRecord[] = []): Entry[] {
  const key = keyOf(node);
  const base = { key, label: nodeLabel(node), kind: node.type, children: [] as Entry[] };
  if (node.kept) return [{ ...base, ...kept(when.created) }];
  if (!node.started_at) return [];
  const from = Date.parse(node.started_at);
  const to = parse(node.finished_at) ?? when.now;
  const state = node.substate ? 'waiting' : NODE_STATES[node.state];
  const attempts = (node.attempts ?? []).map((attempt): Entry => {
    const bar: Bar = { state: 'retried', from: Date.parse(attempt.started_at), to: Date.parse(attempt.finished_at) };
    const why = attempt.error ? ` · ${titleOf(attempt.error).title}` : '';
    return {
      ...own(key, `Attempt ${attempt.attempt}${why}`),
      ...{ kind: 'attempt', state: 'retried', open: false, bars: [bar], from: bar.from, to: bar.to, children: [] },
    };
  });
  // The earlier attempts have bars of their own; this one begins after them.
  const begun = Math.max(from, ...attempts.map((one) => one.to));
  const paused = node.state === 'backoff' || node.substate !== undefined;
  const last: Bar = { state, from: Math.min(begun, to), to, ...(paused && { thin: true }) };
  const cells = items
    .flatMap((item) => entryOfNode(item, when))
    .map((cell) => ({ ...cell, of: cell.key, label: cellLabel(cell.label, node.node) }));
  const open = !node.finished_at;
  return [
    {
      ...base,
      state,
      from,
      to,
      open,
      bars: [...attempts.flatMap((one) => one.bars), last],
      children: [...attempts, ...cells],
    },
  ];
}

/** `debian · 24` of `test (os=debian, node=24)`: whose cell it is stands above. */
function cellLabel(label: string, node: string): string {
  if (!label.startsWith(`${node} (`) || !label.endsWith(')')) return label;
  return label
    .slice(node.length + 2, -1)
    .split(', ')
    .map((value) => value.slice(value.indexOf('=') + 1))
    .join(' · ');
}

interface Pass {
  first: StepRecord;
  number: number;
  from: number;
  to: number;
}

/**
 * Rows of the passes of programs that were started more than once: from the first to the last call that each recorded. A
 * pass that waits is over, unless it recorded something after its wait.
 */
export function passesOf(steps: readonly Step[]): Entry[] {
  const activities = new Map<string, Map<number, Pass>>();
  for (const step of steps) {
    if (isNode(step) || step.pass === undefined) continue;
    const passes = activities.get(step.activity_id) ?? new Map<number, Pass>();
    activities.set(step.activity_id, passes);
    const { from, to } = placeOf(step);
    const known = passes.get(step.pass);
    if (known) Object.assign(known, { from: Math.min(known.from, from), to: Math.max(known.to, to) });
    else passes.set(step.pass, { first: step, number: passes.size + 1, from, to });
  }
  return [...activities.values()].flatMap((passes) => (passes.size > 1 ? [...passes.values()].map(entryOfPass) : []));
}

const PASS_ENDS = /^(sleep|wait-|lock$|call$|child)/;

function placeOf(step: StepRecord): { from: number; to: number } {
  const { from: began, to: ended } = readStepTimes(step);
  const to = parse(ended);
  const from = Math.min(Date.parse(began), to ?? Number.POSITIVE_INFINITY);
  return { from, to: to === undefined || PASS_ENDS.test(step.kind) ? from : to };
}

function entryOfPass({ first, number, from, to }: Pass): Entry {
  const of = keyOf(first);
  const label = first.activity === '' || first.activity === 'main' ? `${number}` : `${number} of ${first.activity}`;
  return {
    ...{ key: `${of} pass`, of, label, kind: 'pass', state: 'queued', open: false },
    ...{ from, to, bars: [{ state: 'queued', from, to }], children: [] },
  };
}
