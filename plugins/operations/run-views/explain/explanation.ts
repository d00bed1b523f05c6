import { formatSpan } from '../../../../cli/output/span.ts';
import { ISOLATES } from '../../../engine/runs/contract/capabilities.ts';
import type {
  AgentView,
  ChildView,
  DeclinedEvent,
  LockView,
  NodeView,
  QuestionView,
  RetryView,
  RunView,
  SignalView,
  StepView,
  TypeView,
} from './answers.ts';
import { describeAttemptCount, describeRetries } from './attempts.ts';
import { describeDeclinedEvents } from './declined.ts';
import { describeSimilarEvents } from './similar-names.ts';
import { explainAnyWait, explainEventWait } from './event-wait.ts';
import { explainPausedHolders, type PausedHolder } from './lease-holders.ts';
import { explainNodes } from './node-explanation.ts';
import { describeQueuedSignals, explainSignalWait } from './queued-signals.ts';
import { adviseOnBlocking, describeInFlightCalls, describeProgress } from './in-flight.ts';
import { isAbandoned, explainScriptSilence, explainSilence } from './silence.ts';
import { formatAgo, type Explanation, quoteArgument, explainEligibility } from './eligible-agents.ts';

/** Everything that an explanation uses. */
export interface ExplanationInput {
  run: RunView;
  steps: readonly StepView[];
  /** The nodes of a run that has them, in place of steps. While it is open: the nodes in progress, and their items. */
  nodes?: readonly NodeView[];
  agents: readonly AgentView[];
  locks: readonly LockView[];
  /** Paused runs that hold one of these locks; absent: they were not read. */
  paused_holders?: readonly PausedHolder[];
  /** Types of events that the project knows; absent: they were not read. */
  types?: readonly TypeView[];
  /** Events that it declined of late; absent: they were not read. */
  declined?: readonly DeclinedEvent[];
  /** Signals that were sent and that no wait has taken; absent: they were not read. */
  signals?: readonly SignalView[];
  /** What the run asks people; absent: it was not read. */
  questions?: readonly QuestionView[];
  /** When it is run again by itself; absent: never, or it was not read. */
  retry?: RetryView | undefined;
  /** Epoch ms. */
  now: number;
}

/** Why a run is in its state. */
export function explain(known: ExplanationInput): Explanation {
  const { because, next } = explainPaused(known) ?? explainStatus(known);
  return { because: [...because, ...describeQueuedSignals(known)], next };
}

/** A paused run goes on when somebody resumes it, whatever else it waits for. */
function explainPaused(known: ExplanationInput): Explanation | undefined {
  const { run, steps, now } = known;
  if (!run.paused) return undefined;
  const { at, by, reason, with: caller } = run.paused;
  const who = by === undefined ? '' : ` by ${by}`;
  const together = caller === undefined ? '' : ` together with the run ${caller}, which called it,`;
  const why = reason === undefined ? '.' : `: ${reason}.`;
  const waits = run.status === 'waiting' ? explainStatus(known).because : [];
  return {
    because: [
      `The run was paused${who}${together} ${formatAgo(at, now)}, at ${at}${why}`,
      'Nothing new starts; work in progress finishes and is recorded.',
      ...describeInFlightCalls(steps, now),
      ...waits,
    ],
    next: [`resume it: svc resume ${caller ?? run.run_id}`],
  };
}

function explainStatus(known: ExplanationInput): Explanation {
  switch (known.run.status) {
    case 'queued':
      return explainQueued(known);
    case 'running':
      return explainRunning(known);
    case 'waiting':
      return explainWaiting(known);
    case 'failed':
      return explainFailed(known);
    case 'cancelled':
      return explainCancelled(known);
    case 'succeeded':
      return explainSucceeded(known);
  }
}

function explainQueued(known: ExplanationInput): Explanation {
  const { run, nodes, agents, now } = known;
  if (run.substate?.kind === 'awaiting_lease') return explainLease(known, run.substate.name);
  if (nodes) return explainNodes({ ...known, nodes });
  const { because, next } = explainEligibility(listRequirements(run), agents);
  return {
    because: [`The run was accepted ${formatAgo(run.created_at, now)} and is waiting for an agent.`, ...because],
    next,
  };
}

const listRequirements = ({ trusted, requires = [] }: RunView): string[] =>
  trusted ? requires : [...requires, ISOLATES];

function explainRunning(known: ExplanationInput): Explanation {
  const { run, steps, nodes, agents, now } = known;
  if (nodes) return explainNodes({ ...known, nodes });
  const recorded = steps.filter(({ status }) => status === 'recorded');
  const last = recorded.at(-1);
  const far =
    last === undefined
      ? 'no call has been recorded yet'
      : `the last of ${formatCount(recorded.length, 'recorded call')} was ${last.kind} ${last.site}, ${formatAgo(last.recorded_at!, now)}`;
  const open = explainChildren(known);
  const silent = explainScriptSilence(run, agents);
  const begun = `${describeStart(run, silent === undefined && !isAbandoned(run))}; ${far}.`;
  if (agents.length > 0 && agents.every(({ state }) => state !== 'online'))
    return { because: [begun, silent ?? ABANDONED], next: ['start one: svc agent'] };
  if (silent === undefined && isAbandoned(run)) {
    const { because, next } = explainEligibility(listRequirements(run), agents);
    return { because: [begun, 'No agent has claimed it: it is waiting for the next one.', ...because], next };
  }
  const because = [
    begun,
    ...(silent === undefined ? describeInFlightCalls(steps, now) : [silent]),
    ...describeRetries(steps),
  ];
  return { because: [...because, ...open.because], next: [...adviseOnBlocking(steps), ...open.next] };
}

function describeStart({ started_at }: RunView, in_progress: boolean): string {
  if (in_progress) return started_at ? `The run has been in progress since ${started_at}` : 'The run is in progress';
  return started_at ? `The run started at ${started_at}` : 'The run has started';
}

const ABANDONED =
  'No agent is online. It continues when its agent is back, or on another agent when the claim expires.';

function explainWaiting(known: ExplanationInput): Explanation {
  const { run, nodes, now } = known;
  if (nodes) return explainNodes({ ...known, nodes });
  const { substate } = run;
  if (!substate) return { because: ['The run was waiting and has just been woken.'], next: [] };
  const since = `since ${substate.since} (${formatSpan(now - Date.parse(substate.since))})`;
  const until = substate.deadline ? `; the deadline is ${substate.deadline}` : '';
  const { because, next } = explainWait(known, substate.kind, substate.name);
  const [first = '', ...others] = because;
  return { because: [`The run has been waiting ${since}${until}. ${first}`.trim(), ...others], next };
}

function explainWait(known: ExplanationInput, kind: string, name: string): Explanation {
  const { run } = known;
  switch (kind) {
    case 'sleep': {
      const tried = describeRetries(known.steps);
      if (tried.length > 0) return { because: ['It is pausing between two attempts.', ...tried], next: [] };
      return { because: ['It is sleeping and continues automatically.'], next: [] };
    }
    case 'signal': {
      const { because, next } = explainSignalWait(name, known);
      return { because: [`It is waiting for the signal ${name}.`, ...because], next };
    }
    case 'event': {
      const { because, next } = explainEventWait({ ...run.substate, name }, run);
      return {
        because: [
          `It is waiting for an event of type ${name}.`,
          ...because,
          ...describeDeclinedEvents(name, known),
          ...describeSimilarEvents(name, known),
        ],
        next,
      };
    }
    case 'ask':
      return {
        because: [`It is waiting until somebody asks ${name}.`],
        next: [`ask it: svc ask ${run.run_id} ${quoteArgument(name)}`],
      };
    case 'any': {
      const { first, because, next } = explainAnyWait({ ...run.substate, name }, known);
      return { because: [`It is waiting for the first of ${first}.`, ...because], next };
    }
    case 'awaiting_lease':
      return explainLease(known, name);
    case 'activity':
      return explainChild(known, name);
    case 'child':
      return explainCalledRun(run.substate?.run_id, name);
    default:
      return { because: [`It is waiting for ${kind} ${name}.`], next: [] };
  }
}

function explainCalledRun(run_id: string | undefined, name: string): Explanation {
  if (run_id === undefined) return { because: [`It is waiting for the run of ${name} that it called.`], next: [] };
  return {
    because: [`It is waiting for the run ${run_id} of ${name} that it called.`],
    next: [`see what that run is doing: svc explain ${run_id}`],
  };
}

function explainLease(known: ExplanationInput, group: string): Explanation {
  const { run, locks, now } = known;
  const lock = locks.find((one) => one.group === group && one.trusted === run.trusted);
  if (!lock)
    return {
      because: [`It is waiting for the lock ${group}, which is free now: it is about to continue.`],
      next: [],
    };
  const { holder, limit, holder_count, queue, queue_length } = lock;
  const place = queue.findIndex(({ run_id }) => run_id === run.run_id);
  const throttled = describeThrottle(lock, now);
  const held =
    throttled ??
    (limit === 1 && holder
      ? `It is waiting for the lock ${group}, which the run ${holder.run_id} has held for ${formatSpan(now - Date.parse(holder.since))}.`
      : `It is waiting for the lock ${group}, which ${holder_count} of at most ${limit} runs hold.`);
  const turn =
    place < 0
      ? `${queue_length} are waiting in its queue.`
      : `It is number ${place + 1} of ${queue_length} in the queue.`;
  const paused = explainPausedHolders(lock, known);
  return {
    because: [held, turn, ...paused.because],
    next:
      limit === 1 && holder && throttled === undefined
        ? [
            ...paused.next,
            `see what the holder is doing: svc explain ${holder.run_id}`,
            `end it, which frees the lock: svc cancel ${holder.run_id}`,
          ]
        : [...paused.next, 'see who holds it: svc locks ls'],
  };
}

/** Says that the group starts no more runs for now; undefined if it does. */
function describeThrottle({ group, throttle, next_start_at }: LockView, now: number): string | undefined {
  if (throttle === undefined || next_start_at === undefined) return undefined;
  const { limit, period } = throttle;
  const starts = `It is waiting for its turn in the group ${group}, which starts at most ${limit} ${limit === 1 ? 'run' : 'runs'} in ${period}`;
  const wait_ms = Date.parse(next_start_at) - now;
  return wait_ms > 0
    ? `${starts}: the next one starts in ${formatSpan(wait_ms)}.`
    : `${starts}: the next one starts now.`;
}

function explainChild(known: ExplanationInput, name: string): Explanation {
  const { steps } = known;
  const step = steps.find((one) => one.child !== undefined && one.site.startsWith(`${name}#`));
  if (name !== '' && step?.child) return describeChild(known, name, step, step.child);
  const { because, next } = explainChildren(known);
  return { because: ['It is waiting for all of its children.', ...because], next };
}

/** So many children are described one by one. */
const MAX_CHILDREN = 10;

/** Children that have not ended. */
function explainChildren(known: ExplanationInput): Explanation {
  const { steps } = known;
  const seen = new Set<string>();
  const all = steps.flatMap((step) => {
    const { child: one } = step;
    if (!one || one.state === 'ended' || one.state === 'cancelled' || seen.has(one.activity_id)) return [];
    seen.add(one.activity_id);
    return [describeChild(known, step.site.replace(/#\d+$/, ''), step, one)];
  });
  const told = all.slice(0, MAX_CHILDREN).flatMap(({ because }) => because);
  const more = all.length - MAX_CHILDREN;
  return {
    because: more > 0 ? [...told, `${more} more of its children have not ended: svc steps shows them.`] : told,
    next: [...new Set(all.flatMap(({ next }) => next))].slice(0, 5),
  };
}

function describeChild(
  { run, agents, now }: ExplanationInput,
  name: string,
  step: StepView,
  one: ChildView,
): Explanation {
  if (one.state === 'queued') {
    const { because, next } = explainEligibility(one.requires ?? [], agents);
    const waited = formatSpan(now - Date.parse(step.started_at));
    return { because: [`Its child ${name} has been waiting for an agent for ${waited}.`, ...because], next };
  }
  if (one.state !== 'running') return { because: [`Its child ${name} is ${one.state}.`], next: [] };
  const silent = explainSilence(run, one.activity_id, agents);
  if (silent !== undefined) return { because: [`Its child ${name} has started. ${silent}`], next: [] };
  const agent = agents.find(({ agent_id }) => agent_id === one.agent_id);
  const where = agent ? ` on the agent ${agent.name}` : '';
  if (one.running) return { because: [`Its child ${name} is ${describeProgress(one.running, now)}.`], next: [] };
  return { because: [`Its child ${name} is running${where}, submitted ${formatAgo(step.started_at, now)}.`], next: [] };
}

function explainFailed({ run, steps: all, nodes, retry }: ExplanationInput): Explanation {
  const { code = 'failed', message = '' } = run.error ?? {};
  const broken = nodes?.find(({ state }) => state === 'failed');
  const steps = nodes ? readJobCalls(broken, all) : all;
  const last = steps.findLast((step) => step.status === 'recorded' && step.exit_code !== 0);
  // The failure of a script already names its last call.
  const site =
    last && !message.includes(last.site)
      ? [
          `The last call that failed was ${last.kind} ${last.site}, with exit code ${last.exit_code}${describeAttemptCount(last)}.`,
        ]
      : [];
  return {
    because: [
      `The run failed with ${code}${run.finished_at ? ` at ${run.finished_at}` : ''}: ${site.length > 0 ? endSentence(message) : message}`,
      ...site,
      ...(retry ? [describeRetry(retry)] : []),
    ],
    next: [
      ...suggestIncludes(message),
      ADVICE[code]?.(run.run_id) ?? `read its log: svc logs ${run.run_id}`,
      ...(retry ? [`do not wait for the retry: svc rerun ${run.run_id}`] : suggestRerun(run, last, steps, broken)),
    ],
  };
}

function describeRetry({ handler, attempt, limit, at }: RetryView): string {
  const count = limit === undefined ? `retry ${attempt}` : `retry ${attempt} of ${limit}`;
  return `The handler ${handler} runs it again at ${at} (${count}).`;
}

/** Python imports what lies beside a script only when it was submitted with it. */
function suggestIncludes(message: string): string[] {
  const name = /^ModuleNotFoundError: No module named '([\w]+)/m.exec(message)?.[1];
  return name === undefined
    ? []
    : [`is ${name} a file or folder next to the script? submit it with --include ${name}/ or ${name}.py`];
}

const ADVICE: Readonly<Record<string, (run_id: string) => string>> = {
  determinism_violation: () =>
    'make the same calls in the same order on every pass; if a value varies, produce it in a step and use the output',
  interpreter_missing: () => 'install the interpreter on the agent, or submit with --requires for an agent that has it',
  deadline_exceeded: (run_id) => `submit it with a longer --timeout, or see what took the time: svc steps ${run_id}`,
  run_limit: () =>
    'list the open runs: svc runs ls --status queued,running,waiting; cancel those that you do not need, and look for a workflow that starts itself',
  credential_missing: () => 'create the credential: svc credential set',
};

/** The calls of the script of a job. A job of steps has none that are sites: it begins again with its first step. */
const readJobCalls = (job: NodeView | undefined, steps: readonly StepView[]): readonly StepView[] =>
  job === undefined || job.type === STEPS_JOB
    ? []
    : steps.filter(({ activity }) => activity === job.node || activity.startsWith(`${job.node}[`));

const STEPS_JOB = 'pipeline_job';
/** Nodes of graphs that call runs: their calls are no sites of a script. */
const CALLING_NODES: readonly string[] = ['workflow', 'each'];

function suggestRerun(
  run: RunView,
  last: StepView | undefined,
  steps: readonly StepView[],
  broken: NodeView | undefined,
): string[] {
  const begin = (from: string) => [
    `when you have fixed the cause, continue from there: svc rerun ${run.run_id} --from ${from}`,
  ];
  if (broken) {
    const has_site = last !== undefined && !CALLING_NODES.includes(broken.type);
    return begin(has_site ? quoteArgument(`${last.activity}/${qualifySite(steps, last)}`) : broken.node);
  }
  if (run.kind !== 'script') return [`run it again: svc rerun ${run.run_id}`];
  if (!last) return [`when you have fixed the cause, run it again: svc rerun ${run.run_id}`];
  return begin(quoteArgument(qualifySite(steps, last)));
}

/** Calls of several verbs may have one site. */
function qualifySite(steps: readonly StepView[], { position, activity, kind, site }: StepView): string {
  const other = (step: StepView) => step.activity === activity && step.position !== position && step.site === site;
  return steps.some(other) ? `${kind} ${site}` : site;
}

function explainCancelled({ run }: ExplanationInput): Explanation {
  const by = run.cancelled_by ? ` by the event ${run.cancelled_by.event} (${run.cancelled_by.type})` : '';
  const why = run.reason ? `: ${run.reason}` : '.';
  return {
    because: [`The run was cancelled${by}${run.finished_at ? ` at ${run.finished_at}` : ''}${why}`],
    next: [`run it again: svc rerun ${run.run_id}`],
  };
}

function explainSucceeded({ run, steps, nodes }: ExplanationInput): Explanation {
  const did = nodes ? formatCount(nodes.length, 'node') : formatCount(steps.length, 'recorded call');
  const { started_at, finished_at } = run;
  const took =
    started_at && finished_at ? ` within ${formatSpan(Date.parse(finished_at) - Date.parse(started_at))}` : '';
  const notes =
    run.annotations.length > 0
      ? [`It left ${formatCount(run.annotations.length, 'note')}: svc status ${run.run_id}`]
      : [];
  return { because: [`The run succeeded${took}, with ${did}.`, ...notes], next: [] };
}

const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Messages of programs rarely end like a sentence, and another sentence follows. */
const endSentence = (text: string): string => (/[.!?:;)\n]\s*$/.test(text) ? text : `${text}.`);
