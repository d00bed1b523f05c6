import type * as Api from '../../../../cli/generated/api.ts';
import type {
  AgentView,
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
import type { ExplanationInput } from './explanation.ts';

/** Which steps of a run are read; all members are optional. */
export interface StepsQuery {
  node?: string;
  calls?: boolean;
  output?: boolean;
  open?: boolean;
}

export type StepList = { steps: StepView[]; nodes?: undefined } | { nodes: NodeView[]; steps?: undefined };

/** Reads what an explanation needs from the REST API. Paths that do not begin with `/api` are below the project. */
export interface ExplanationSource {
  project: string;
  json<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T>;
  list<T>(path: string, member: string): Promise<T[]>;
  steps(run_id: string, query?: StepsQuery): Promise<StepList>;
  now(): number;
}

/** Fan-outs whose items are looked at. */
const MAX_FAN_OUTS = 5;
/** Holders of locks that are looked at for whether they are paused. */
const MAX_HOLDERS = 10;
/** Events that are looked at for what the run did with them. */
const MAX_EVENTS = 5;
/** Types of awaited events of which these are read. */
const MAX_TYPES = 3;

const runPath = (run_id: string) => `/runs/${encodeURIComponent(run_id)}`;

/** The run is read first, so that everything read later is at least as recent. */
export async function readExplanationInput(source: ExplanationSource, run_id: string): Promise<ExplanationInput> {
  const record = await source.json<RunView>(runPath(run_id));
  const { steps = [], nodes } = await readSteps(source, record);
  const awaited = [record, ...(nodes ?? [])].flatMap(({ substate }) =>
    substate?.kind === 'awaiting_lease' ? [substate.name] : [],
  );
  const locks = awaited.length > 0 ? await source.list<LockView>('/locks', 'locks') : [];
  const paused_holders = await readPausedHolders(
    source,
    locks.filter(({ group, trusted }) => trusted === record.trusted && awaited.includes(group)),
  );
  const open = ['queued', 'running', 'waiting'].includes(record.status);
  const all = open ? await source.list<AgentView>('/api/v1/agents', 'agents') : [];
  // An agent that serves only another project cannot take this run.
  const agents = all.filter(({ project = source.project }) => project === source.project);
  // A node may wait for an event while the run as a whole shows another wait.
  const awaits = [record, ...(nodes ?? [])].some(({ substate }) => awaitedTypes(substate).length > 0);
  const types = awaits ? await source.list<TypeView>('/event-types', 'types') : [];
  const declined = await readDeclinedEvents(source, record);
  const signals = await readQueuedSignals(source, run_id);
  const retry = await readRetry(source, record);
  const awaits_signal = [record, ...(nodes ?? [])].some(({ substate }) => substate?.kind === 'signal');
  const questions = awaits_signal ? await readQuestions(source, run_id) : [];
  return {
    run: record,
    steps,
    nodes,
    agents,
    locks,
    paused_holders,
    types,
    declined,
    signals,
    questions,
    retry,
    now: source.now(),
  };
}

/** Only a handler's failed run is run again by itself. */
async function readRetry(
  source: ExplanationSource,
  { run_id, status, trigger }: RunView,
): Promise<RetryView | undefined> {
  if (status !== 'failed' || typeof trigger.handler !== 'string') return undefined;
  return (await source.json<Api.RunRetry>(`${runPath(run_id)}/retry`)).retry;
}

/** A few holders are read one by one. */
async function readPausedHolders(source: ExplanationSource, locks: readonly LockView[]): Promise<RunView[]> {
  const ids = [...new Set(locks.flatMap(({ holders }) => holders.map(({ run_id }) => run_id)))];
  const runs = await Promise.all(ids.slice(0, MAX_HOLDERS).map((id) => source.json<RunView>(runPath(id))));
  return runs.filter(({ paused }) => paused);
}

/** For a run with nodes: only the nodes in progress, and their items. */
async function readSteps(source: ExplanationSource, { run_id, status }: RunView): Promise<StepList> {
  const open = ['running', 'waiting', 'queued'].includes(status);
  const found = await source.steps(run_id);
  if (!found.nodes) return found;
  // The last call of a failed job is where it can go on.
  if (status === 'failed') return { ...(await source.steps(run_id, { calls: true })), nodes: found.nodes } as StepList;
  if (!open) return found;
  const nodes = found.nodes.filter(({ state }) => state === 'running' || state === 'backoff');
  const items = nodes.filter((node) => node.items).slice(0, MAX_FAN_OUTS);
  for (const { node } of items) nodes.push(...((await source.steps(run_id, { node, open: true })).nodes ?? []));
  return { nodes };
}

/** Signals that no wait has taken, the newest of them. */
async function readQueuedSignals(source: ExplanationSource, run_id: string): Promise<SignalView[]> {
  const query = { state: 'queued', limit: 200 };
  return (await source.json<Api.ListSignals200>(`${runPath(run_id)}/signals`, query)).signals;
}

async function readQuestions(source: ExplanationSource, run_id: string): Promise<QuestionView[]> {
  return (await source.json<Api.ListQuestions200>(`${runPath(run_id)}/questions`)).questions;
}

/** Types of the events that end a wait. */
function awaitedTypes(substate: RunView['substate']): string[] {
  if (substate?.kind === 'event') return [substate.name];
  return (substate?.any ?? []).flatMap(({ kind, name }) => (kind === 'event' ? [name] : []));
}

async function readDeclinedEvents(source: ExplanationSource, { run_id, substate }: RunView): Promise<DeclinedEvent[]> {
  const declined: DeclinedEvent[] = [];
  for (const type of awaitedTypes(substate).slice(0, MAX_TYPES)) {
    const query = { type, since: substate!.since, limit: MAX_EVENTS };
    const { events } = await source.json<{ events: Api.Event[] }>('/events', query);
    const shown = await Promise.all(
      events.map(({ event }) => source.json<Api.ShownEvent>(`/events/${encodeURIComponent(event)}`)),
    );
    for (const { event, recorded_at: at, deliveries } of shown)
      for (const { reaction, name, state, reason } of deliveries)
        if (reaction === 'wait' && name === run_id && state === 'declined') declined.push({ event, type, at, reason });
  }
  return declined;
}
