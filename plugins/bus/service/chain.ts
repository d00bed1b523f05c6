import { Errors, iso, isId, type Queries } from '../../../kernel/contracts/index.ts';
import type { Run, RunFeed } from '../../runs/contract.ts';
import type { ProjectScope } from '../contract.ts';
import type { Chain } from '../generated/chain.ts';
import type { ChainLink } from '../generated/chain-link.ts';
import { type ChainEvent, chainEvent, eventsOfRuns, wokenBy } from '../store/chain.ts';

/** Links back to the beginning: a chain of handlers ends sooner, one of reruns hardly ever. */
const MAX_BACK = 50;
/** Levels onwards. */
const MAX_LEVELS = 10;
/** Runs or events that one statement looks for. */
const MAX_ASKED = 128;

export interface Chains {
  /** Throws `not_found`. */
  ofRun(scope: ProjectScope, run_id: string, limit: number): Promise<Chain>;
  ofEvent(scope: ProjectScope, event_id: string, limit: number): Promise<Chain>;
}

export interface ChainParts {
  on: Pick<Queries, 'read' | 'sql'>;
  feed: Pick<RunFeed, 'links' | 'records'>;
}

type Relation = ChainLink['relation'];

/** A run or an event with what came of it. */
interface Place {
  relation: Relation;
  id: string;
  event?: ChainEvent;
  onwards: Place[];
}

export function createChains(parts: ChainParts): Chains {
  const answer = async (scope: ProjectScope, start: Place, limit: number): Promise<Chain> => {
    const before = await beginnings(parts, scope, start);
    const after = await Onwards.of(parts, scope, start, limit);
    const links = flat(start.onwards, 1);
    const runs = await parts.feed.records(scope, ids(links));
    const known = new Map(runs.map((run) => [run.run_id, run]));
    return {
      before: before.links,
      before_more: before.more || undefined,
      after: links.flatMap(({ place, depth }) => shown(place, depth, known)),
      after_more: after.more || undefined,
    };
  };
  return {
    async ofRun(scope, run_id, limit) {
      const [run] = isId(run_id) ? await parts.feed.records(scope, [run_id]) : [];
      if (!run) throw Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);
      return answer(scope, { relation: 'called', id: run_id, onwards: [] }, limit);
    },
    async ofEvent(scope, event_id, limit) {
      const event = isId(event_id) ? await chainEvent(parts.on, scope, event_id) : undefined;
      if (!event) throw Errors.notFound(`there is no event ${event_id.slice(0, 64)}`);
      return answer(scope, { relation: 'emitted', id: event_id, event, onwards: [] }, limit);
    },
  };
}

/** From a run to the run that called it or that it repeats, or the event that started it; from an event to its run. */
async function beginnings(
  { on, feed }: ChainParts,
  scope: ProjectScope,
  start: Place,
): Promise<{ links: ChainLink[]; more: boolean }> {
  const links: ChainLink[] = [];
  const seen = new Set([start.id]);
  const runOf = async (run_id: string): Promise<Run | undefined> => (await feed.records(scope, [run_id]))[0];
  let run = start.event ? undefined : await runOf(start.id);
  let { event } = start;
  while (links.length < MAX_BACK) {
    const link: Place | undefined = run ? causeOf(run) : event && emitterOf(event);
    if (!link || seen.has(link.id)) return { links, more: false };
    seen.add(link.id);
    const ofEvent = link.relation === 'started';
    event = ofEvent ? await chainEvent(on, scope, link.id) : undefined;
    run = ofEvent ? undefined : await runOf(link.id);
    const [one] = shown({ ...link, ...(event && { event }) }, links.length + 1, new Map(run && [[run.run_id, run]]));
    // What is not kept any more is named all the same.
    links.push(
      one ?? { depth: links.length + 1, relation: link.relation, kind: ofEvent ? 'event' : 'run', id: link.id },
    );
  }
  return { links, more: true };
}

function causeOf({ rerun_of, parent, trigger }: Run): Place | undefined {
  if (rerun_of) return { relation: 'rerun', id: rerun_of, onwards: [] };
  if (parent) return { relation: 'called', id: parent, onwards: [] };
  return typeof trigger.event === 'string' ? { relation: 'started', id: trigger.event, onwards: [] } : undefined;
}

const RUN_SOURCES: readonly string[] = ['emit', 'lifecycle', 'manual', 'spawn'];

const emitterOf = ({ source, source_name }: ChainEvent): Place | undefined =>
  RUN_SOURCES.includes(source) && source_name.startsWith('run_')
    ? { relation: 'emitted', id: source_name, onwards: [] }
    : undefined;

/** What came of a run or an event, level by level, so that a wide one does not hide what is near. */
class Onwards {
  readonly #parts: ChainParts;
  readonly #scope: ProjectScope;
  readonly #seen: Set<string>;
  #left: number;
  more = false;

  private constructor(parts: ChainParts, scope: ProjectScope, start: Place, limit: number) {
    this.#parts = parts;
    this.#scope = scope;
    this.#seen = new Set([start.id]);
    this.#left = limit;
  }

  static async of(parts: ChainParts, scope: ProjectScope, start: Place, limit: number): Promise<Onwards> {
    const onwards = new Onwards(parts, scope, start, limit);
    let level = [start];
    for (let n = 0; level.length > 0 && n < MAX_LEVELS; n++) level = await onwards.#next(level);
    if (level.length > 0) onwards.more = true;
    return onwards;
  }

  async #next(all: readonly Place[]): Promise<Place[]> {
    const level = all.slice(0, MAX_ASKED);
    if (all.length > level.length) this.more = true;
    const runs = level.filter(({ event }) => !event);
    const emitted = await this.#emitted(runs);
    const events = [...level.filter(({ event }) => event), ...emitted.values()].slice(0, MAX_ASKED);
    const came = await this.#cameOf(runs, events);
    const next: Place[] = [];
    for (const place of level) {
      this.#add(place, came.get(place.id) ?? [], next);
      for (const event of emitted.values()) {
        if (event.event!.source_name !== place.id || place.event) continue;
        const follows = came.get(event.id) ?? [];
        // What the service says of every run is no link of a chain unless something came of it.
        if (event.event!.source !== 'emit' && follows.length === 0) continue;
        this.#add(place, [event], []);
        this.#add(event, follows, next);
      }
    }
    return next;
  }

  #add(to: Place, places: readonly Place[], next: Place[]): void {
    for (const place of places) {
      if (this.#left <= 0) {
        this.more = true;
        return;
      }
      this.#left -= 1;
      to.onwards.push(place);
      if (this.#seen.has(place.id)) continue;
      this.#seen.add(place.id);
      next.push(place);
    }
  }

  async #emitted(runs: readonly Place[]): Promise<Map<string, Place>> {
    const { on } = this.#parts;
    const run_ids = runs.map(({ id }) => id);
    const found = await eventsOfRuns(on, this.#scope, run_ids, MAX_ASKED + 1);
    if (found.length > MAX_ASKED) this.more = true;
    const fresh = found.slice(0, MAX_ASKED).filter(({ event_id }) => !this.#seen.has(event_id));
    return new Map(
      fresh.map((event) => [event.event_id, { relation: 'emitted', id: event.event_id, event, onwards: [] }]),
    );
  }

  /** Runs by the run or event that they came of. */
  async #cameOf(runs: readonly Place[], events: readonly Place[]): Promise<Map<string, Place[]>> {
    const { on, feed } = this.#parts;
    const limit = this.#left + 1;
    const from = { runs: runs.map(({ id }) => id), events: events.map(({ id }) => id) };
    const links = await feed.links(this.#scope.project_id, from, limit);
    const woken = await wokenBy(
      on,
      this.#scope,
      events.flatMap(({ event }) => event ?? []),
      limit,
    );
    const found = new Map<string, Place[]>();
    const add = (origin: string, relation: Relation, id: string) =>
      found.set(origin, [...(found.get(origin) ?? []), { relation, id, onwards: [] }]);
    for (const { run_id, origin, how } of links) add(origin, how, run_id);
    for (const { run_id, event_id, how } of woken) add(event_id, how, run_id);
    return found;
  }
}

const flat = (places: readonly Place[], depth: number): { place: Place; depth: number }[] =>
  places.flatMap((place) => [{ place, depth }, ...flat(place.onwards, depth + 1)]);

const ids = (links: readonly { place: Place }[]): string[] => [
  ...new Set(links.flatMap(({ place }) => (place.event ? [] : [place.id]))),
];

function shown({ relation, id, event }: Place, depth: number, runs: ReadonlyMap<string, Run>): ChainLink[] {
  if (event) return [{ depth, relation, kind: 'event', id, name: event.type, at: iso(event.recorded_at) }];
  const run = runs.get(id);
  if (!run) return [];
  return [{ depth, relation, kind: 'run', id, name: run.workflow, status: run.status, at: run.created_at }];
}
