import { type Api, readAll, type Client, type Run } from '../../../../cli/contract.ts';
import type { AgentView, DeclinedEvent, LockView, RunView, SignalView, TypeView } from '../explain/answers.ts';
import { readAllSteps } from './all-steps.ts';
import { paint } from './describe.ts';
import { explain, type ExplanationInput } from '../explain/explanation.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const known = await readExplanationInput(api, args[0]!);
  const explanation = explain(known);
  const { run_id, status, substate } = known.run;
  output.data({ run_id, status, ...(substate ? { substate } : {}), ...explanation }, () =>
    [
      `${run_id}: ${paint(status, output)}`,
      explanation.because.join(' '),
      ...explanation.next.map((hint) => `  → ${hint}`),
    ].join('\n'),
  );
  return undefined;
};

/** For a run with nodes: only the nodes in progress, and their items. */
async function readSteps(api: Client, { run_id, status }: RunView) {
  const open = ['running', 'waiting', 'queued'].includes(status);
  const found = await readAllSteps(api, run_id);
  if (!found.nodes) return found;
  // The last call of a failed job is where it can go on.
  if (status === 'failed') return { ...(await readAllSteps(api, run_id, { calls: true })), nodes: found.nodes };
  if (!open) return found;
  const nodes = found.nodes.filter(({ state }) => state === 'running' || state === 'backoff');
  const items = nodes.filter((node) => node.items).slice(0, MAX_FAN_OUTS);
  for (const { node } of items) nodes.push(...((await readAllSteps(api, run_id, { node, open: true })).nodes ?? []));
  return { nodes };
}

/** Fan-outs whose items are looked at. */
const MAX_FAN_OUTS = 5;

/** The run is read first, so that everything read later is at least as recent. */
async function readExplanationInput(api: Client, run_id: string): Promise<ExplanationInput> {
  const record = await api.json<RunView>({ path: api.scoped(`/runs/${encodeURIComponent(run_id)}`) });
  const { steps = [], nodes } = await readSteps(api, record);
  const locks =
    record.substate?.kind === 'awaiting_lease' ? await readAll<LockView>(api, api.scoped('/locks'), 'locks') : [];
  const open = ['queued', 'running', 'waiting'].includes(record.status);
  const all = open ? await readAll<AgentView>(api, '/api/v1/agents', 'agents') : [];
  // One that serves another project alone is none of this run's.
  const agents = all.filter(({ project = api.profile.project }) => project === api.profile.project);
  // A node may wait for an event while the run as a whole shows another wait.
  const awaits = [record, ...(nodes ?? [])].some(({ substate }) => substate?.kind === 'event');
  const types = awaits ? await readAll<TypeView>(api, api.scoped('/event-types'), 'types') : [];
  const declined = record.substate?.kind === 'event' ? await readDeclinedEvents(api, record, record.substate) : [];
  const signals = await readQueuedSignals(api, run_id);
  return { run: record, steps, nodes, agents, locks, types, declined, signals, now: Date.now() };
}

/** Signals that no wait has taken, the newest of them. */
async function readQueuedSignals(api: Client, run_id: string): Promise<SignalView[]> {
  const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/signals`);
  return (await api.json<Api.ListSignals200>({ path, query: { state: 'queued', limit: 200 } })).signals;
}

/** Events that are looked at for what the run did with them. */
const MAX_EVENTS = 5;

async function readDeclinedEvents(api: Client, { run_id }: RunView, wait: { name: string; since: string }) {
  const query = { type: wait.name, since: wait.since, limit: MAX_EVENTS };
  const { events } = await api.json<{ events: Api.Event[] }>({ path: api.scoped('/events'), query });
  const shown = await Promise.all(
    events.map(({ event }) => api.json<Api.ShownEvent>({ path: api.scoped(`/events/${event}`) })),
  );
  return shown.flatMap(({ event, type, recorded_at: at, deliveries }): DeclinedEvent[] =>
    deliveries
      .filter(({ reaction, name, state }) => reaction === 'wait' && name === run_id && state === 'declined')
      .map(({ reason }) => ({ event, type, at, reason })),
  );
}
