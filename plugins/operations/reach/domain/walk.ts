import { isReserved } from '../../../events/bus/contract.ts';
import { matchesPattern } from '../../../events/handlers/contract.ts';
import type { Reach, ReachEdge, ReachNode } from '../generated/reach.ts';
import type { Catalog, Unit } from './catalog.ts';
import { isExcludedByTrust } from './excluded-by-trust.ts';

/** Handler runs of later generations are rejection (`chain_too_deep`). */
const MAX_GENERATIONS = 5;
const LIFECYCLE = ['run.started', 'run.succeeded', 'run.failed', 'run.cancelled'] as const;
const UNTRUSTED = 'an untrusted run gets no';

export interface WalkOptions {
  type: string;
  trusted: boolean;
  max_nodes: number;
  max_depth: number;
  /** Returns the path of a resource in the API. */
  link(kind: string, name: string): string | undefined;
}

/**
 * How an event came about, which decides whom it reaches. Waits and cancellations of trusted runs ignore what untrusted runs
 * emit. Handlers do not get the lifecycle events of handler runs.
 */
type Origin = 'outside' | 'emit' | 'lifecycle' | 'withheld';

interface EventStep {
  kind: 'event';
  id: string;
  type: string;
  trusted: boolean;
  origin: Origin;
  generation: number;
  depth: number;
}

interface RunStep {
  kind: 'run';
  id: string;
  unit: Unit;
  trusted: boolean;
  generation: number;
  depth: number;
}

/** Follows an event through everything that it could start, wake and use, breadth first. */
export function walk(catalog: Catalog, options: WalkOptions): Reach {
  return new Walk(catalog, options).run();
}

class Walk {
  readonly #catalog: Catalog;
  readonly #options: WalkOptions;
  readonly #nodes = new Map<string, ReachNode>();
  readonly #edges = new Map<string, ReachEdge>();
  readonly #expanded = new Set<string>();
  readonly #steps: (EventStep | RunStep)[] = [];
  readonly #truncated = new Set<Reach['truncated'][number]>();

  constructor(catalog: Catalog, options: WalkOptions) {
    this.#catalog = catalog;
    this.#options = options;
  }

  run(): Reach {
    const { type, trusted } = this.#options;
    if (this.#catalog.is_truncated) this.#truncated.add('workflows');
    const inlets = this.#catalog.inlets.filter(
      (inlet) =>
        inlet.types.some((pattern) => matchesPattern(pattern, type)) && (trusted ? inlet.trusted : inlet.untrusted),
    );
    const origin = trusted || inlets.length > 0 ? 'outside' : type.startsWith('run.') ? 'lifecycle' : 'emit';
    const root = this.#visitEvent(undefined, { type, trusted, origin, generation: 0, depth: 0 });
    for (const { kind, name } of inlets)
      this.#connect(
        this.#node(`inlet:${kind}:${name}`, { kind: kind as ReachNode['kind'], name }),
        root,
        'sends',
        'records it',
      );
    const by = trusted ? 'anybody who can emit events' : 'svc emit in an untrusted run';
    if (origin === 'lifecycle' || type.startsWith('run.'))
      this.#connect(this.#node('inlet:run', { kind: 'run', name: 'every run' }), root, 'sends', 'announces it');
    else if (!isReserved(type))
      this.#connect(this.#node('inlet:emit', { kind: 'emit', name: by }), root, 'sends', 'emits it');
    for (let step = this.#steps.shift(); step; step = this.#steps.shift())
      if (step.kind === 'event') this.#event(step);
      else this.#run(step);
    return {
      type,
      trusted,
      root: root ?? '',
      nodes: [...this.#nodes.values()],
      edges: [...this.#edges.values()],
      truncated: [...this.#truncated].sort(),
    };
  }

  /** Adds a node unless the answer is full. Returns its id if it is in the answer. */
  #node(id: string, node: Omit<ReachNode, 'id' | 'link'>): string | undefined {
    if (this.#nodes.has(id)) return id;
    if (this.#nodes.size >= this.#options.max_nodes) {
      this.#truncated.add('nodes');
      return undefined;
    }
    const link = this.#options.link(node.kind, node.name);
    this.#nodes.set(id, { id, ...node, ...(link !== undefined && { link }) });
    return id;
  }

  #connect(
    from: string | undefined,
    to: string | undefined,
    relation: ReachEdge['relation'],
    why: string,
    rejection?: string,
  ): void {
    if (from === undefined || to === undefined) return;
    const key = `${from}\n${to}\n${relation}\n${why}`;
    if (!this.#edges.has(key))
      this.#edges.set(key, { from, to, relation, why, ...(rejection !== undefined && { rejection }) });
  }

  #isTooDeep(depth: number): boolean {
    if (depth < this.#options.max_depth) return false;
    this.#truncated.add('depth');
    return true;
  }

  #visitEvent(edge: Pick<ReachEdge, 'from' | 'relation' | 'why'> | undefined, event: Omit<EventStep, 'kind' | 'id'>) {
    const { type, trusted, origin } = event;
    const id = this.#node(`event:${type}:${trusted}:${origin}`, { kind: 'event', name: type, trusted });
    if (edge) this.#connect(edge.from, id, edge.relation, edge.why);
    if (id !== undefined && !this.#expanded.has(id)) {
      this.#expanded.add(id);
      this.#steps.push({ kind: 'event', id, ...event });
    }
    return id;
  }

  #unitNode(unit: Unit, trusted: boolean): string | undefined {
    const { kind, name, file } = unit;
    return this.#node(`${unit.id}:${trusted}`, { kind, name, trusted, ...(file !== undefined && { file }) });
  }

  /** Connects a run of a workflow, and follows what it does unless svc refuses it. */
  #visitRun(
    edge: Pick<ReachEdge, 'relation' | 'why'> & { from: string; rejection?: string | undefined },
    run: Omit<RunStep, 'kind' | 'id'>,
  ): void {
    const id = this.#unitNode(run.unit, run.trusted);
    this.#connect(edge.from, id, edge.relation, edge.why, edge.rejection);
    if (id === undefined || edge.rejection !== undefined || this.#expanded.has(id)) return;
    this.#expanded.add(id);
    this.#steps.push({ kind: 'run', id, ...run });
  }

  #event(event: EventStep): void {
    const { type, origin } = event;
    const listening = [...this.#catalog.units.values()].filter((unit) =>
      unit.on.some((pattern) => matchesPattern(pattern, type)),
    );
    if (listening.length > 0 && this.#isTooDeep(event.depth)) return;
    const handlers = listening.filter(({ kind }) => kind === 'handler');
    if (origin !== 'withheld') for (const unit of handlers) this.#start(event, unit);
    // The workflow of a webhook runs only for deliveries of its forge, and only if no handler matches pushes.
    if (origin === 'outside' && handlers.length === 0)
      for (const unit of listening.filter(({ kind }) => kind === 'webhook')) this.#start(event, unit);
    for (const unit of this.#catalog.units.values()) this.#reactions(event, unit);
  }

  #start({ id, type, trusted, generation, depth }: EventStep, unit: Unit): void {
    const pattern = unit.on.find((one) => matchesPattern(one, type)) ?? type;
    const why = `on ${pattern}${unit.when === undefined ? '' : ` when ${unit.when}`}`;
    const next = unit.kind === 'handler' ? generation + 1 : generation;
    const rejection = isExcludedByTrust(unit.when, trusted)
      ? 'its predicate declines the event'
      : !trusted && unit.rejects_untrusted
        ? 'untrusted_run_declares_credential: it declares credentials, so untrusted events start nothing'
        : next > MAX_GENERATIONS
          ? `chain_too_deep: handler runs have at most ${MAX_GENERATIONS} generations`
          : undefined;
    this.#visitRun(
      { from: id, relation: 'starts', why, rejection },
      { unit, trusted, generation: next, depth: depth + 1 },
    );
  }

  /** Waits that the event ends, and runs that it cancels. */
  #reactions({ id, type, trusted, origin, depth }: EventStep, unit: Unit): void {
    const is_guarded = origin === 'emit' && !trusted;
    for (const item of unit.items) {
      if (item.does !== 'wait' && item.does !== 'cancel') continue;
      if (item.type !== type || this.#isTooDeep(depth)) continue;
      if (item.does === 'wait' && isExcludedByTrust(item.when, trusted)) continue;
      // A trusted run can do more than an untrusted one, so it stands for both.
      const wakes_trusted = !is_guarded || (item.does === 'wait' && item.untrusted);
      const can_be_untrusted = unit.kind !== 'schedule' && !unit.is_function;
      if (!wakes_trusted && !can_be_untrusted) continue;
      const only = wakes_trusted ? '' : ' (only its untrusted runs)';
      if (item.does === 'cancel') {
        const cancelled = this.#unitNode(unit, wakes_trusted);
        this.#connect(id, cancelled, 'cancels', `cancel_on ${type}${only}`);
        if (cancelled !== undefined) this.#announce(cancelled, unit, wakes_trusted, 0, depth + 1, ['run.cancelled']);
      } else {
        const when = item.when === undefined ? '' : ` when ${item.when}`;
        this.#visitRun(
          { from: id, relation: 'wakes', why: `waits for ${type}${when}${only}` },
          { unit, trusted: wakes_trusted, generation: 0, depth: depth + 1 },
        );
      }
    }
  }

  #run({ id, unit, trusted, generation, depth }: RunStep): void {
    for (const item of unit.items) this.#item(id, unit, item, { trusted, generation, depth });
    for (const { name, unit: called_id, section } of unit.calls) {
      const called = this.#catalog.units.get(called_id);
      if (!called || this.#isTooDeep(depth)) continue;
      const rejection =
        !trusted && called.is_function ? 'function_untrusted: untrusted runs call no functions' : undefined;
      this.#visitRun(
        { from: id, relation: 'calls', why: `runs ${name}${at(section)}`, rejection },
        { unit: called, trusted, generation, depth: depth + 1 },
      );
    }
    this.#announce(id, unit, trusted, generation, depth, LIFECYCLE);
  }

  #item(
    from: string,
    { id, name: file }: Unit,
    item: Unit['items'][number],
    run: Pick<RunStep, 'trusted' | 'generation' | 'depth'>,
  ): void {
    const { trusted } = run;
    const where = at(item.section);
    switch (item.does) {
      case 'program':
        return trusted ? this.#secrets(from, where) : undefined;
      case 'checkout':
        for (const { credential } of trusted ? this.#catalog.inlets : [])
          if (credential !== undefined) this.#credential(from, credential, `checks out the repository${where}`, true);
        return;
      case 'credential':
        return this.#credential(from, item.name, `declares it${where}`, trusted);
      case 'id_token': {
        const rejection = trusted ? undefined : `id_token_untrusted: ${UNTRUSTED} ID tokens`;
        const token = this.#node('id-token', { kind: 'id-token', name: 'id-token' });
        return this.#connect(from, token, 'uses', `asks for one${where}`, rejection);
      }
      case 'connector':
      case 'lease':
      case 'agent': {
        const used = this.#node(`${item.does}:${item.name}`, { kind: item.does, name: item.name });
        const why = { connector: 'sends a request with it', lease: 'takes it', agent: 'requires it' }[item.does];
        return this.#connect(from, used, 'uses', `${why}${where}`);
      }
      case 'emit':
        return this.#emit(from, item.type, where, run);
      case 'unknown': {
        const { line, section, what } = item;
        const key = [id, item.file ?? file, line ?? '', section ?? '', what].join(' ');
        const position = {
          file: item.file ?? file,
          ...(line !== undefined && { line }),
          ...(section !== undefined && { section }),
        };
        const node = this.#node(`unknown:${key}`, { kind: 'unknown', name: what, ...position });
        return this.#connect(from, node, 'hides', what);
      }
    }
  }

  #secrets(from: string, where: string): void {
    const { secrets } = this.#catalog;
    if (secrets.length === 0) return;
    const all = this.#node('secrets', { kind: 'secrets', name: 'the secrets of the project' });
    this.#connect(from, all, 'uses', `its programs get them${where}`);
    for (const name of secrets)
      this.#connect(all, this.#node(`secret:${name}`, { kind: 'secret', name }), 'uses', 'is one of them');
  }

  #credential(from: string, name: string, why: string, trusted: boolean): void {
    const kind = this.#catalog.accounts.has(name) ? 'account' : 'credential';
    const rejection = trusted ? undefined : `untrusted_run_declares_credential: ${UNTRUSTED} credentials and accounts`;
    this.#connect(from, this.#node(`${kind}:${name}`, { kind, name }), 'uses', why, rejection);
  }

  #emit(
    from: string,
    type: string,
    where: string,
    { trusted, generation, depth }: Pick<RunStep, 'trusted' | 'generation' | 'depth'>,
  ): void {
    const why = `emits ${type}${where}`;
    if (isReserved(type)) {
      const event = this.#node(`event:${type}:${trusted}:emit`, { kind: 'event', name: type, trusted });
      this.#connect(from, event, 'emits', why, 'event_type_reserved: only svc records this type');
    } else if (!this.#isTooDeep(depth))
      this.#visitEvent(
        { from, relation: 'emits', why },
        { type, trusted, origin: 'emit', generation, depth: depth + 1 },
      );
  }

  /** The lifecycle events of a run, if anything listens to them. */
  #announce(
    from: string,
    { kind }: Unit,
    trusted: boolean,
    generation: number,
    depth: number,
    types: readonly string[],
  ): void {
    const origin = kind === 'handler' ? 'withheld' : 'lifecycle';
    for (const type of types) {
      const is_heard = [...this.#catalog.units.values()].some(
        ({ kind: listener, on, items }) =>
          (origin !== 'withheld' && listener === 'handler' && on.some((pattern) => matchesPattern(pattern, type))) ||
          items.some((item) => (item.does === 'wait' || item.does === 'cancel') && item.type === type),
      );
      if (!is_heard || this.#isTooDeep(depth)) continue;
      const edge = { from, relation: 'announces' as const, why: `announces ${type}` };
      this.#visitEvent(edge, { type, trusted, origin, generation, depth: depth + 1 });
    }
  }
}

const at = (section: string | undefined): string => (section === undefined ? '' : ` in ${section}`);
