import { decodeCursor, encodeCursor, Errors, iso } from '../../../../kernel/contracts/index.ts';
import {
  type ActivityScope,
  checkRunId,
  type CoordinatedNode,
  type EndedActivity,
  type InFlightCall,
  maskInFlightCalls,
  maskSubstate,
  type NodePage,
  type OpenActivity,
  type OpenWait,
  type RunCoordinator,
  type RunReader,
  renderInFlightCall,
  runNotFound,
} from '../../../engine/runs/contract.ts';
import type { Masker, RunMasks } from '../../../security/masking/contract.ts';
import type { NodeRecord } from '../generated/node.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface NodeQuery extends Pick<NodePage, 'of' | 'open' | 'outputs' | 'limit'> {
  cursor: string | undefined;
}

/** Nodes of runs that a coordinator carries on. */
export class NodeViews {
  readonly #reader: RunReader;
  readonly #masks: Pick<RunMasks, 'of'>;
  readonly #coordinators: () => readonly RunCoordinator[];

  constructor(reader: RunReader, masks: Pick<RunMasks, 'of'>, coordinators: () => readonly RunCoordinator[]) {
    this.#reader = reader;
    this.#masks = masks;
    this.#coordinators = coordinators;
  }

  /** A page of nodes; undefined when the run has none. Throws `not_found` for an absent or foreign run. */
  async list(
    { org_id, project_id }: Scope,
    run_id: string,
    { cursor, ...page }: NodeQuery,
  ): Promise<{ nodes: NodeRecord[]; next_cursor?: string } | undefined> {
    const run = { org_id, project_id, run_id: checkRunId(run_id) };
    const coordinator = await this.#findCoordinator(run);
    if (!coordinator?.nodes) {
      if (page.of !== undefined || page.open) throw noNodes();
      return undefined;
    }
    const after = decodeCursor(cursor, 'number')?.[0] ?? -1;
    const { nodes, more, last } = await coordinator.nodes(run, { ...page, after });
    const activities = nodes.flatMap(({ activity_id }) => activity_id ?? []);
    const timers = nodes.flatMap(({ timer_id }) => timer_id ?? []);
    const open = await this.#reader.openActivities(activities);
    const isClaimed = [...open.values()].some(({ state }) => state === 'claimed');
    const calls = isClaimed ? await this.#reader.inFlight(run_id) : [];
    const context: NodeContext = {
      activities: open,
      ended: await this.#reader.endedActivities(
        nodes.flatMap(({ earlier }) => earlier.map(({ activity_id }) => activity_id)),
      ),
      waits: await this.#reader.openWaits(run, [...activities, ...timers]),
      // Read last: values that the nodes may show were stored before them.
      masker: await this.#masks.of(run),
      calls: new Map(calls.map((call) => [call.activity_id, call])),
    };
    const position = last ?? nodes.at(-1)?.place;
    const next_cursor = more && position !== undefined ? encodeCursor(position) : undefined;
    return { nodes: nodes.map((node) => renderNode(node, context)), next_cursor };
  }

  /**
   * The activity whose calls are those of a node, or of an item of one. Throws `not_found` where there is none, and
   * `invalid_request` for a run without nodes.
   */
  async findActivity({ org_id, project_id }: Scope, run_id: string, name: string): Promise<string> {
    const run = { org_id, project_id, run_id: checkRunId(run_id) };
    const coordinator = await this.#findCoordinator(run);
    if (!coordinator?.node) throw noNodes();
    const node = await coordinator.node(run, name);
    const quoted = JSON.stringify(name);
    if (!node) throw Errors.notFound(`there is no node ${quoted} in this run`);
    if (node.several) throw Errors.notFound(`${quoted} has items, each with its own calls: ${node.node}[0]`);
    if (node.activity_id === null && node.kept_from !== undefined)
      throw Errors.notFound(
        `${quoted} was carried over from the run ${node.kept_from}, which has its calls: svc steps ${node.kept_from} --node '${name}' --calls`,
      );
    if (node.activity_id === null) throw Errors.notFound(`${quoted} has made no calls in this run`);
    return node.activity_id;
  }

  /** Whether each line of the log should name its activity. Throws `not_found`. */
  async hasSeveralWriters(run: ActivityScope): Promise<boolean> {
    const coordinator = await this.#findCoordinator(run);
    return (await coordinator?.several?.(run)) ?? false;
  }

  /** How people know an activity by its name. Throws `not_found`. */
  async labels(run: ActivityScope): Promise<(name: string) => Promise<string | undefined>> {
    const coordinator = await this.#findCoordinator(run);
    const labels = await coordinator?.labels?.(run);
    return async (name) => {
      const label = await labels?.(name);
      // The values of a matrix may be outputs of another job.
      return label === undefined ? undefined : (await this.#masks.of(run)).text(label);
    };
  }

  async #findCoordinator({ project_id, run_id }: ActivityScope): Promise<RunCoordinator | undefined> {
    const name = await this.#reader.coordinator(project_id, run_id);
    if (name === undefined) throw runNotFound(run_id);
    return this.#coordinators().find((coordinator) => coordinator.name === name);
  }
}

const noNodes = () =>
  Errors.invalidRequest('this run has no nodes; leave node and open out to list its calls', {
    errors: [{ pointer: '/query', message: 'node and open are for runs that have nodes' }],
  });

/** What a page of nodes shows beside the nodes themselves. */
interface NodeContext {
  activities: ReadonlyMap<string, OpenActivity>;
  ended: ReadonlyMap<string, EndedActivity>;
  waits: ReadonlyMap<string, OpenWait>;
  masker: Masker;
  calls: ReadonlyMap<string, InFlightCall>;
}

const isoOrNone = (ms: number | null | undefined): string | undefined => (ms == null ? undefined : iso(ms));
const STATES = { pending: 'queued', claimed: 'running', parked: 'waiting' } as const;

function renderNode(node: CoordinatedNode, context: NodeContext): NodeRecord {
  const { activities, waits, masker } = context;
  const { id, type, label, item, state, attempt, items, output, error, kept, started_at, finished_at } = node;
  return {
    ...{ node: id, type, state, attempt },
    label: label === undefined ? undefined : masker.text(label),
    item: item ?? undefined,
    items: items ?? undefined,
    case: typeof node.case === 'boolean' || typeof node.case === 'string' ? masker.json(node.case) : undefined,
    output: output === undefined ? undefined : masker.json(output),
    error: error === null ? undefined : { code: error.code, message: masker.text(error.message) },
    kept: kept || undefined,
    activity: renderActivity(activities.get(node.activity_id ?? ''), context),
    attempts: renderAttempts(node.earlier, context),
    substate: renderSubstate(waits.get(node.activity_id ?? ''), masker),
    timeout_at: isoOrNone(waits.get(node.timer_id ?? '')?.deadline),
    started_at: isoOrNone(started_at),
    finished_at: isoOrNone(finished_at),
  } as NodeRecord;
}

function renderAttempts(earlier: CoordinatedNode['earlier'], { ended, masker }: NodeContext): NodeRecord['attempts'] {
  const attempts = earlier.flatMap(({ attempt, activity_id }) => {
    const activity = ended.get(activity_id);
    if (!activity) return [];
    const { created_at, finished_at, error_code: code, error_message: message } = activity;
    const error = code === null ? undefined : { code, message: masker.text(message ?? '') };
    return [{ attempt, started_at: iso(created_at), finished_at: iso(finished_at), ...(error && { error }) }];
  });
  return attempts.length === 0 ? undefined : attempts;
}

function renderActivity(activity: OpenActivity | undefined, { calls, masker }: NodeContext): NodeRecord['activity'] {
  if (!activity) return undefined;
  const { activity_id, state, agent_id, requires: required } = activity;
  const requires = JSON.parse(required ?? '[]') as string[];
  const call = state === 'claimed' ? calls.get(activity_id) : undefined;
  return {
    activity_id,
    state: STATES[state],
    requires: requires.length === 0 ? undefined : requires,
    agent_id: agent_id ?? undefined,
    running: call && renderRunning(call, masker),
  };
}

function renderRunning(call: InFlightCall, masker: Masker) {
  const [masked] = maskInFlightCalls([call], masker);
  const { activity_id: _id, activity: _activity, agent_id: _agent, ...running } = renderInFlightCall(masked!);
  return running;
}

function renderSubstate(wait: OpenWait | undefined, masker: Masker): NodeRecord['substate'] {
  if (!wait) return undefined;
  const { substate, name, called_id, armed_at, deadline, condition } = wait;
  return maskSubstate(
    {
      ...{ kind: substate, name, run_id: called_id ?? undefined },
      ...condition,
      since: iso(armed_at),
      deadline: isoOrNone(deadline),
    },
    masker,
  );
}
