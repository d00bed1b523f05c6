import { Errors, iso, isId, type Queries } from '../../../../kernel/contracts/index.ts';
import type { Run, RunFeed } from '../../../engine/runs/contract.ts';
import type { ProjectScope } from '../contract.ts';
import type { Chain } from '../generated/chain.ts';
import type { ChainLink } from '../generated/chain-link.ts';
import { type ChainEvent, readChainEvent, listEventsOfRuns, listReactions } from '../store/chain.ts';

/**
 * Maximum number of causes that are followed backwards. Chains of handlers are shorter; chains of reruns almost
 * always are.
 */
const MAX_CAUSES = 50;
/** Maximum depth of consequences. */
const MAX_LEVELS = 10;
/** Maximum number of runs or events in one statement. */
const MAX_IDS = 128;

export interface Chains {
  /** Throws `not_found`. */
  readRunChain(scope: ProjectScope, run_id: string, limit: number): Promise<Chain>;
  readEventChain(scope: ProjectScope, event_id: string, limit: number): Promise<Chain>;
}

export interface ChainDeps {
  on: Pick<Queries, 'read' | 'sql'>;
  feed: Pick<RunFeed, 'links' | 'records'>;
}

type Relation = ChainLink['relation'];

/** A run or an event, with what it caused. */
interface ChainNode {
  relation: Relation;
  id: string;
  event?: ChainEvent;
  children: ChainNode[];
}

export function createChains(deps: ChainDeps): Chains {
  const readChain = async (scope: ProjectScope, start: ChainNode, limit: number): Promise<Chain> => {
    const before = await collectCauses(deps, scope, start);
    const after = await DownstreamWalk.collect(deps, scope, start, limit);
    const links = flatten(start.children, 1);
    const runs = await deps.feed.records(scope, runIds(links));
    const runs_by_id = new Map(runs.map((run) => [run.run_id, run]));
    return {
      before: before.links,
      before_more: before.more || undefined,
      after: links.flatMap(({ node: place, depth }) => renderLink(place, depth, runs_by_id)),
      after_more: after.has_more || undefined,
    };
  };
  return {
    async readRunChain(scope, run_id, limit) {
      const [run] = isId(run_id) ? await deps.feed.records(scope, [run_id]) : [];
      if (!run) throw Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);
      return readChain(scope, { relation: 'called', id: run_id, children: [] }, limit);
    },
    async readEventChain(scope, event_id, limit) {
      const event = isId(event_id) ? await readChainEvent(deps.on, scope, event_id) : undefined;
      if (!event) throw Errors.notFound(`there is no event ${event_id.slice(0, 64)}`);
      return readChain(scope, { relation: 'emitted', id: event_id, event, children: [] }, limit);
    },
  };
}

/**
 * Follows causes backwards: from a run to the run that called it or that it reruns, or to the event that started it;
 * from an event to the run that emitted it.
 */
async function collectCauses(
  { on, feed }: ChainDeps,
  scope: ProjectScope,
  start: ChainNode,
): Promise<{ links: ChainLink[]; more: boolean }> {
  const links: ChainLink[] = [];
  const seen = new Set([start.id]);
  const readRun = async (run_id: string): Promise<Run | undefined> => (await feed.records(scope, [run_id]))[0];
  let run = start.event ? undefined : await readRun(start.id);
  let { event } = start;
  while (links.length < MAX_CAUSES) {
    const link: ChainNode | undefined = run ? causeOf(run) : event && emitterOf(event);
    if (!link || seen.has(link.id)) return { links, more: false };
    seen.add(link.id);
    const isEvent = link.relation === 'started';
    event = isEvent ? await readChainEvent(on, scope, link.id) : undefined;
    run = isEvent ? undefined : await readRun(link.id);
    const [rendered] = renderLink({ ...link, event }, links.length + 1, new Map(run && [[run.run_id, run]]));
    // A cause that was pruned is still listed by its id.
    links.push(
      rendered ?? { depth: links.length + 1, relation: link.relation, kind: isEvent ? 'event' : 'run', id: link.id },
    );
  }
  return { links, more: true };
}

function causeOf({ rerun_of, parent, trigger }: Run): ChainNode | undefined {
  if (rerun_of) return { relation: 'rerun', id: rerun_of, children: [] };
  if (parent) return { relation: 'called', id: parent, children: [] };
  return typeof trigger.event === 'string' ? { relation: 'started', id: trigger.event, children: [] } : undefined;
}

const RUN_SOURCES: readonly string[] = ['emit', 'lifecycle', 'manual', 'spawn'];

const emitterOf = ({ source, source_name }: ChainEvent): ChainNode | undefined =>
  RUN_SOURCES.includes(source) && source_name.startsWith('run_')
    ? { relation: 'emitted', id: source_name, children: [] }
    : undefined;

/**
 * Collects what a run or an event caused, level by level, so that one wide branch does not hide what is close to the
 * start.
 */
class DownstreamWalk {
  readonly #deps: ChainDeps;
  readonly #scope: ProjectScope;
  readonly #seen: Set<string>;
  #remaining: number;
  has_more = false;

  private constructor(deps: ChainDeps, scope: ProjectScope, start: ChainNode, limit: number) {
    this.#deps = deps;
    this.#scope = scope;
    this.#seen = new Set([start.id]);
    this.#remaining = limit;
  }

  static async collect(deps: ChainDeps, scope: ProjectScope, start: ChainNode, limit: number): Promise<DownstreamWalk> {
    const walk = new DownstreamWalk(deps, scope, start, limit);
    let level = [start];
    for (let n = 0; level.length > 0 && n < MAX_LEVELS; n++) level = await walk.#expandLevel(level);
    if (level.length > 0) walk.has_more = true;
    return walk;
  }

  async #expandLevel(nodes: readonly ChainNode[]): Promise<ChainNode[]> {
    const level = nodes.slice(0, MAX_IDS);
    if (nodes.length > level.length) this.has_more = true;
    const runs = level.filter(({ event }) => !event);
    const emitted = await this.#readEmitted(runs);
    const events = [...level.filter(({ event }) => event), ...emitted.values()].slice(0, MAX_IDS);
    const consequences = await this.#readConsequences(runs, events);
    const next: ChainNode[] = [];
    for (const node of level) {
      this.#attach(node, consequences.get(node.id) ?? [], next);
      for (const event of emitted.values()) {
        if (event.event!.source_name !== node.id || node.event) continue;
        const triggered = consequences.get(event.id) ?? [];
        // The service's own events about a run are left out unless they caused something.
        if (event.event!.source !== 'emit' && triggered.length === 0) continue;
        this.#attach(node, [event], []);
        this.#attach(event, triggered, next);
      }
    }
    return next;
  }

  #attach(parent: ChainNode, children: readonly ChainNode[], next: ChainNode[]): void {
    for (const node of children) {
      if (this.#remaining <= 0) {
        this.has_more = true;
        return;
      }
      this.#remaining -= 1;
      parent.children.push(node);
      if (this.#seen.has(node.id)) continue;
      this.#seen.add(node.id);
      next.push(node);
    }
  }

  async #readEmitted(runs: readonly ChainNode[]): Promise<Map<string, ChainNode>> {
    const { on } = this.#deps;
    const run_ids = runs.map(({ id }) => id);
    const rows = await listEventsOfRuns(on, this.#scope, run_ids, MAX_IDS + 1);
    if (rows.length > MAX_IDS) this.has_more = true;
    const unseen = rows.slice(0, MAX_IDS).filter(({ event_id }) => !this.#seen.has(event_id));
    return new Map(
      unseen.map((event): [string, ChainNode] => [
        event.event_id,
        { relation: 'emitted', id: event.event_id, event, children: [] },
      ]),
    );
  }

  /** Returns the runs that each run or event caused. */
  async #readConsequences(runs: readonly ChainNode[], events: readonly ChainNode[]): Promise<Map<string, ChainNode[]>> {
    const { on, feed } = this.#deps;
    const limit = this.#remaining + 1;
    const from = { runs: runs.map(({ id }) => id), events: events.map(({ id }) => id) };
    const links = await feed.links(this.#scope.project_id, from, limit);
    const reactions = await listReactions(
      on,
      this.#scope,
      events.flatMap(({ event }) => event ?? []),
      limit,
    );
    const by_origin = new Map<string, ChainNode[]>();
    const add = (origin: string, relation: Relation, id: string) =>
      by_origin.set(origin, [...(by_origin.get(origin) ?? []), { relation, id, children: [] }]);
    for (const { run_id, origin, how } of links) add(origin, how, run_id);
    for (const { run_id, event_id, how } of reactions) add(event_id, how, run_id);
    return by_origin;
  }
}

const flatten = (nodes: readonly ChainNode[], depth: number): { node: ChainNode; depth: number }[] =>
  nodes.flatMap((place) => [{ node: place, depth }, ...flatten(place.children, depth + 1)]);

const runIds = (nodes: readonly { node: ChainNode }[]): string[] => [
  ...new Set(nodes.flatMap(({ node: place }) => (place.event ? [] : [place.id]))),
];

function renderLink({ relation, id, event }: ChainNode, depth: number, runs: ReadonlyMap<string, Run>): ChainLink[] {
  if (event) return [{ depth, relation, kind: 'event', id, name: event.type, at: iso(event.recorded_at) }];
  const run = runs.get(id);
  if (!run) return [];
  return [{ depth, relation, kind: 'run', id, name: run.workflow, status: run.status, at: run.created_at }];
}
