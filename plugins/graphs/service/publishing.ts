import {
  type AccessControl,
  type Database,
  iso,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Credentials } from '../../credentials/contract.ts';
import type { HandlerOwnership, PreparedHandler } from '../../handlers/contract.ts';
import type { HookMinting } from '../../hooks/contract.ts';
import type { ConnectorManifests } from '../../manifests/contract.ts';
import { type AuditedWrites, type NamedCall, notFound, type ProjectScope } from '../../resources/contract.ts';
import type { PreparedSchedule, ScheduleOwnership } from '../../schedules/contract.ts';
import type { CheckedGraph, TypedNode } from '../domain/graph.ts';
import { hookOf, type WantedHook } from '../domain/hook-spec.ts';
import { GRAPH_NOUN } from '../domain/names.ts';
import { ownerOf, registeredName } from '../domain/triggers.ts';
import { warningsOf } from '../domain/warnings.ts';
import type { GraphEntry } from '../generated/graph-entry.ts';
import type { PublishedGraph } from '../generated/published-graph.ts';
import type { Registered } from '../generated/registered.ts';
import { patternsOf, textIn, verificationOf, WEBHOOK } from '../nodes/triggers.ts';
import { type GraphRow, graphs } from '../store/graphs.ts';
import { readVersion } from '../store/versions.ts';
import type { Graphs } from './graphs.ts';
import type { Planner } from './planner.ts';
import { type HookRight, hookRightOf } from './hook-right.ts';
import { entryOf, triggersOf } from './views.ts';

export interface PublishingParts {
  access: Pick<AccessControl, 'authorize'>;
  database: Database;
  sealer: Sealer;
  writes: AuditedWrites;
  graphs: () => Graphs;
  planner: Planner;
  credentials: Pick<Credentials, 'raw'>;
  manifests: Pick<ConnectorManifests, 'find'>;
  hooks: HookMinting;
  handlers: HandlerOwnership;
  schedules: ScheduleOwnership;
}

/** A trigger that was checked, for the transaction that publishes. */
interface Prepared {
  /** What it registers, as it is stored. */
  registered: Registered;
  hook?: WantedHook;
  handler?: PreparedHandler;
  schedule?: PreparedSchedule;
}

/** Registers what the triggers of graphs need, and removes it. */
export class Publishing {
  readonly #parts: PublishingParts;

  constructor(parts: PublishingParts) {
    this.#parts = parts;
  }

  /**
   * Afterwards the triggers start this version (the latest when none is named), and what only an earlier one had is gone.
   * Throws `forbidden` when hooks come or go and the caller is no admin, `not_found`, `workflow_invalid`, `credential_missing`, `credential_wrong_kind`, `name_conflict`, and the limits
   * of hooks, handlers and schedules.
   */
  async publish(call: NamedCall, version?: number): Promise<PublishedGraph> {
    const { database, planner, sealer, writes } = this.#parts;
    const { scope, name } = call;
    const { stored, source } = await this.#parts.graphs().find(scope, name, version);
    const planned = planner.planned(await planner.check(scope.project_id, source, name));
    const right = await hookRightOf(this.#parts.access, call);
    right(planned.graph.nodes.filter(({ type }) => type.type === WEBHOOK).map(({ node }) => node.id));
    const states = await planner.states(database, scope, planned);
    planner.refuse(planned.named, states, ['wrong_kind', 'missing', 'conflict']);
    const prepared = await this.#prepare(call, planned.graph, stored.version_number);
    await sealer.prepare(scope.org_id);
    const triggers = await writes.write(
      call,
      'graph.publish',
      (tx) => this.#register(tx, call, stored.version_number, prepared, right),
      () => `version ${stored.version_number}`,
    );
    const warnings = warningsOf(planned.graph, planned.named, states);
    return { name, published_version: stored.version_number, triggers, warnings };
  }

  async #prepare(call: NamedCall, graph: CheckedGraph, version: number): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    for (const node of graph.nodes.filter(({ type }) => type.trigger))
      prepared.push(await this.#prepareOne(call, node, version));
    return prepared;
  }

  async #prepareOne(call: NamedCall, typed: TypedNode, version: number): Promise<Prepared> {
    const { node, type, config } = typed;
    const registered = { node_id: node.id, type: type.type };
    const name = registeredName(call.name, node.id);
    if (type.type === WEBHOOK) {
      const hook = await this.#hook(call, name, typed);
      const handler = await this.#handler(call, name, version, hook.on, textIn(config, 'when'));
      return { registered: { ...registered, hook: name, handler: name, on: hook.on }, hook, handler };
    }
    if (type.type === 'trigger.event') {
      const on = patternsOf(config);
      const handler = await this.#handler(call, name, version, on, textIn(config, 'when'));
      return { registered: { ...registered, handler: name, on }, handler };
    }
    if (type.type !== 'trigger.schedule') return { registered };
    const schedule = await this.#parts.schedules.prepare({
      ...this.#owned(call, name, version),
      cron: textIn(config, 'cron') ?? '',
      timezone: textIn(config, 'timezone'),
    });
    return { registered: { ...registered, schedule: name }, schedule };
  }

  #owned({ scope, name: graph, by }: NamedCall, name: string, version: number) {
    const workflow = { graph: `${graph}@${version}` };
    return { scope, name, owner: ownerOf(graph), workflow, set_by: by.principal?.id ?? null };
  }

  #handler(call: NamedCall, name: string, version: number, on: readonly string[], when: string | undefined) {
    return this.#parts.handlers.prepare({ ...this.#owned(call, name, version), on, when });
  }

  async #hook({ scope }: NamedCall, name: string, { config }: TypedNode): Promise<WantedHook> {
    const { manifest, credential } = verificationOf(config) ?? {};
    const key = credential === undefined ? '' : (await this.#parts.credentials.raw(scope, { name: credential })).value;
    const section = manifest === undefined ? undefined : this.#parts.manifests.find(manifest)?.hook;
    return hookOf(name, config, key, section?.event_type !== undefined);
  }

  async #register(
    tx: Transaction,
    call: NamedCall,
    version: number,
    prepared: readonly Prepared[],
    right: HookRight,
  ): Promise<Registered[]> {
    const { scope, name } = call;
    const row = await graphs.lock(tx, scope, name);
    if (!row || !(await readVersion(tx, scope, name, version))) throw notFound(GRAPH_NOUN, name);
    right(hooked(row));
    const wanted = new Map(prepared.map(({ registered }) => [registered.node_id, registered]));
    for (const old of triggersOf(row)) await this.#drop(tx, row, old, wanted.get(old.node_id));
    const shown: Registered[] = [];
    for (const one of prepared) shown.push(await this.#put(tx, row, one));
    const triggers = JSON.stringify(prepared.map(({ registered }) => registered));
    await graphs.replace(tx, { ...row, published_version: version, triggers });
    return shown;
  }

  async #put(tx: Transaction, row: GraphRow, { registered, hook, handler, schedule }: Prepared): Promise<Registered> {
    const { org_id, project_id } = row;
    const shown: Registered = { ...registered };
    if (hook) {
      const hook_of = { org_id, project_id, name: registered.hook!, owner: ownerOf(row.name), spec: hook.spec };
      const { ingest_url, secret } = await this.#parts.hooks.mint(tx, hook_of);
      Object.assign(shown, { ingest_url, ...(secret !== undefined && { secret }) });
    }
    await handler?.put(tx);
    const next_due = await schedule?.put(tx);
    return next_due === undefined ? shown : { ...shown, next_due: iso(next_due) };
  }

  /** Removes what a trigger has registered and will not register again. */
  async #drop(tx: Transaction, row: GraphRow, old: Registered, kept?: Registered): Promise<void> {
    const { handlers, hooks, schedules } = this.#parts;
    const of = (name: string) => ({ ...scopeOf(row), name, owner: ownerOf(row.name) });
    if (old.hook !== undefined && kept?.hook !== old.hook) await hooks.drop(tx, of(old.hook));
    if (old.schedule !== undefined && kept?.schedule !== old.schedule) await schedules.drop(tx, of(old.schedule));
    if (old.handler !== undefined && kept?.handler !== old.handler) await handlers.drop(tx, of(old.handler));
  }

  /** Asked before the transaction of `withdraw`. */
  right(call: NamedCall): Promise<HookRight> {
    return hookRightOf(this.#parts.access, call);
  }

  /** Removes everything that the graph has registered. Runs continue. The graph's row is locked. Throws `forbidden`. */
  async withdraw(tx: Transaction, row: GraphRow, right: HookRight): Promise<void> {
    right(hooked(row));
    for (const old of triggersOf(row)) await this.#drop(tx, row, old);
  }

  /** Does nothing when it is not published. Throws `not_found`, `forbidden`. */
  async unpublish(call: NamedCall): Promise<GraphEntry> {
    const right = await this.right(call);
    const row = await this.#parts.writes.write(call, 'graph.unpublish', async (tx) => {
      const present = await graphs.lock(tx, call.scope, call.name);
      if (!present) throw notFound(GRAPH_NOUN, call.name);
      await this.withdraw(tx, present, right);
      const changed = { ...present, published_version: null, triggers: '[]' };
      await graphs.replace(tx, changed);
      return changed;
    });
    return entryOf(row);
  }
}

/** The nodes of a published graph that have a hook. */
const hooked = (row: GraphRow): string[] =>
  triggersOf(row).flatMap(({ node_id, hook }) => (hook === undefined ? [] : [node_id]));

const scopeOf = ({ org_id, project_id }: ProjectScope): ProjectScope => ({ org_id, project_id });
