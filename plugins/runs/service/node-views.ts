import { decodeCursor, encodeCursor, Errors, iso, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import type { ActivityScope, CoordinatedNode, NodePage, RunCoordinator } from '../contract.ts';
import type { NodeRecord } from '../generated/node.ts';
import {
  type EndedActivity,
  type OpenActivity,
  type OpenWait,
  readEndedActivities,
  readOpenActivities,
  readOpenWaits,
} from '../store/node-facts.ts';
import type { Reader } from '../store/parts.ts';
import { readCoordinator } from '../store/run-lists.ts';
import type { HeldCall } from '../store/under-way.ts';
import { maskedCalls } from './masked.ts';
import { renderUnderWay } from './render.ts';
import { noRun, runId } from './run-views.ts';
import type { CallsUnderWay } from './under-way.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

export interface NodeQuery extends Pick<NodePage, 'of' | 'open' | 'outputs' | 'limit'> {
  cursor: string | undefined;
}

export interface NodeViewsParts {
  on: Reader;
  sealer: Pick<Sealer, 'prepare'>;
  masks: Pick<RunMasks, 'of'>;
  coordinators: () => readonly RunCoordinator[];
  under_way: Pick<CallsUnderWay, 'of'>;
}

/** Nodes of runs that a coordinator carries on. */
export class NodeViews {
  readonly #parts: NodeViewsParts;

  constructor(parts: NodeViewsParts) {
    this.#parts = parts;
  }

  /** A page of nodes; undefined when the run has none. Throws `not_found` for an absent or foreign run. */
  async list(
    { org_id, project_id }: Scope,
    run_id: string,
    { cursor, ...page }: NodeQuery,
  ): Promise<{ nodes: NodeRecord[]; next_cursor?: string } | undefined> {
    const scope = { org_id, project_id, run_id: runId(run_id) };
    const coordinator = await this.#coordinatorOf(scope);
    if (!coordinator?.nodes) {
      if (page.of !== undefined || page.open) throw noNodes();
      return undefined;
    }
    const after = decodeCursor(cursor, 'number')?.[0] ?? -1;
    const { nodes, more, last } = await coordinator.nodes(scope, { ...page, after });
    const activities = nodes.flatMap(({ activity_id }) => activity_id ?? []);
    const timers = nodes.flatMap(({ timer_id }) => timer_id ?? []);
    const open = await readOpenActivities(this.#parts.on, activities);
    const busy = [...open.values()].some(({ state }) => state === 'claimed');
    const calls = busy ? await this.#parts.under_way.of(this.#parts.on, run_id) : [];
    const facts: Facts = {
      activities: open,
      ended: await readEndedActivities(
        this.#parts.on,
        nodes.flatMap(({ earlier }) => earlier.map(({ activity_id }) => activity_id)),
      ),
      waits: await readOpenWaits(this.#parts.on, run_id, [...activities, ...timers]),
      // Read last: values that the nodes may show were stored before them.
      masker: await this.#parts.masks.of(scope),
      calls: new Map(calls.map((call) => [call.activity_id, call])),
    };
    const at = last ?? nodes.at(-1)?.place;
    const next_cursor = more && at !== undefined ? encodeCursor(at) : undefined;
    return { nodes: nodes.map((node) => recordOf(node, facts)), next_cursor };
  }

  /**
   * The activity whose calls are those of a node, or of an item of one. Throws `not_found` where there is none, and
   * `invalid_request` for a run without nodes.
   */
  async activityOf({ org_id, project_id }: Scope, run_id: string, name: string): Promise<string> {
    const scope = { org_id, project_id, run_id: runId(run_id) };
    const coordinator = await this.#coordinatorOf(scope);
    if (!coordinator?.node) throw noNodes();
    const found = await coordinator.node(scope, name);
    const shown = JSON.stringify(name);
    if (!found) throw Errors.notFound(`there is no node ${shown} in this run`);
    if (found.several) throw Errors.notFound(`${shown} has items, each with calls of its own: ${found.node}[0]`);
    if (found.activity_id === null && found.kept_from !== undefined)
      throw Errors.notFound(
        `${shown} was kept from the run ${found.kept_from}, which has its calls: svc steps ${found.kept_from} --node '${name}' --calls`,
      );
    if (found.activity_id === null) throw Errors.notFound(`${shown} has made no calls in this run`);
    return found.activity_id;
  }

  /** True when each line of the log should name its activity. Throws `not_found`. */
  async several(scope: ActivityScope): Promise<boolean> {
    const coordinator = await this.#coordinatorOf(scope);
    return (await coordinator?.several?.(scope)) ?? false;
  }

  /** How people know an activity by its name. Throws `not_found`. */
  async labels(scope: ActivityScope): Promise<(name: string) => string | undefined> {
    const coordinator = await this.#coordinatorOf(scope);
    return (await coordinator?.labels?.(scope)) ?? (() => undefined);
  }

  async #coordinatorOf({ project_id, run_id }: ActivityScope): Promise<RunCoordinator | undefined> {
    const name = await readCoordinator(this.#parts.on, project_id, run_id);
    if (name === undefined) throw noRun(run_id);
    return this.#parts.coordinators().find((one) => one.name === name);
  }
}

const noNodes = () =>
  Errors.invalidRequest('this run has no nodes; leave node and open out to list its calls', {
    errors: [{ pointer: '/query', message: 'node and open are for runs that have nodes' }],
  });

interface Facts {
  activities: ReadonlyMap<string, OpenActivity>;
  ended: ReadonlyMap<string, EndedActivity>;
  waits: ReadonlyMap<string, OpenWait>;
  masker: Masker;
  calls: ReadonlyMap<string, HeldCall>;
}

const time = (ms: number | null | undefined): string | undefined => (ms == null ? undefined : iso(ms));
const STATES = { pending: 'queued', claimed: 'running', parked: 'waiting' } as const;

function recordOf(node: CoordinatedNode, facts: Facts): NodeRecord {
  const { activities, waits, masker } = facts;
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
    activity: activityOf(activities.get(node.activity_id ?? ''), facts),
    attempts: attemptsOf(node.earlier, facts),
    substate: substateOf(waits.get(node.activity_id ?? ''), masker),
    timeout_at: time(waits.get(node.timer_id ?? '')?.deadline),
    started_at: time(started_at),
    finished_at: time(finished_at),
  } as NodeRecord;
}

function attemptsOf(earlier: CoordinatedNode['earlier'], { ended, masker }: Facts): NodeRecord['attempts'] {
  const attempts = earlier.flatMap(({ attempt, activity_id }) => {
    const activity = ended.get(activity_id);
    if (!activity) return [];
    const { created_at, finished_at, error_code: code, error_message: message } = activity;
    const error = code === null ? undefined : { code, message: masker.text(message ?? '') };
    return [{ attempt, started_at: iso(created_at), finished_at: iso(finished_at), ...(error && { error }) }];
  });
  return attempts.length === 0 ? undefined : attempts;
}

function activityOf(activity: OpenActivity | undefined, { calls, masker }: Facts): NodeRecord['activity'] {
  if (!activity) return undefined;
  const { activity_id, state, agent_id, requires: needs } = activity;
  const requires = JSON.parse(needs ?? '[]') as string[];
  const call = state === 'claimed' ? calls.get(activity_id) : undefined;
  return {
    activity_id,
    state: STATES[state],
    requires: requires.length === 0 ? undefined : requires,
    agent_id: agent_id ?? undefined,
    running: call && runningOf(call, masker),
  };
}

function runningOf(call: HeldCall, masker: Masker) {
  const [shown] = maskedCalls([call], masker);
  const { activity_id: _id, activity: _activity, agent_id: _agent, ...running } = renderUnderWay(shown!);
  return running;
}

function substateOf(wait: OpenWait | undefined, masker: Masker): NodeRecord['substate'] {
  if (!wait) return undefined;
  const { substate, name, called_id, armed_at, deadline } = wait;
  return {
    ...{ kind: substate, name: masker.text(name), run_id: called_id ?? undefined },
    since: iso(armed_at),
    deadline: time(deadline),
  };
}
