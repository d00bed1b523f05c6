import {
  type AccessControl,
  type Database,
  iso,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Credentials } from '../../../secrets/credentials/contract.ts';
import type { HandlerOwnership, PreparedHandler } from '../../../events/handlers/contract.ts';
import type { HookMinting } from '../../../integrations/hooks/contract.ts';
import type { ConnectorManifests } from '../../../integrations/manifests/contract.ts';
import {
  type AuditedWrites,
  type NamedRequest,
  notFound,
  type ProjectScope,
} from '../../../platform/resources/contract.ts';
import type { PreparedSchedule, ScheduleOwnership } from '../../../events/schedules/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { CheckedGraph, TypedNode } from '../domain/graph.ts';
import { toHook, type DesiredHook } from '../domain/hook-spec.ts';
import { GRAPH_NOUN } from '../domain/names.ts';
import { ownerOf, registeredName } from '../domain/triggers.ts';
import { warningsOf } from '../domain/warnings.ts';
import type { GraphEntry } from '../generated/graph-entry.ts';
import type { PublishedGraph } from '../generated/published-graph.ts';
import type { Registered } from '../generated/registered.ts';
import { flowOf, patternsOf, readText, verificationOf, WEBHOOK } from '../nodes/triggers.ts';
import { type GraphRow, graphs } from '../store/graphs.ts';
import { readVersion, type VersionRow } from '../store/versions.ts';
import type { Planner } from './planner.ts';
import { type HookAccessCheck, checkHookAccess } from './hook-access.ts';
import { toEntry, readTriggers } from './views.ts';

/** Finds a version of a graph: the latest unless one is named. Throws `not_found`. */
interface StoredGraphs {
  find(scope: ProjectScope, name: string, version?: number): Promise<{ stored: VersionRow; source: string }>;
}

export interface PublishingDeps {
  access: Pick<AccessControl, 'authorize'>;
  database: Database;
  sealer: Sealer;
  writes: AuditedWrites;
  graphs: () => StoredGraphs;
  planner: Planner;
  credentials: Pick<Credentials, 'raw'>;
  manifests: Pick<ConnectorManifests, 'find'>;
  hooks: HookMinting;
  handlers: HandlerOwnership;
  schedules: ScheduleOwnership;
}

/** A trigger that was checked, for the transaction that publishes. */
interface Prepared {
  /** What the trigger registers, as the row stores it. */
  registered: Registered;
  hook?: DesiredHook;
  handler?: PreparedHandler;
  schedule?: PreparedSchedule;
}

/** Registers what the triggers of graphs need, and removes it. */
export class Publishing {
  readonly #deps: PublishingDeps;

  constructor(deps: PublishingDeps) {
    this.#deps = deps;
  }

  /**
   * Makes the triggers start this version, or the latest one when none is named, and removes what only an earlier
   * version registered. Throws `forbidden` when event hooks change and the caller is not an admin, `not_found`,
   * `workflow_invalid`, `credential_missing`, `credential_wrong_kind`, `name_conflict`, and the limits of hooks,
   * handlers and schedules.
   */
  async publish(call: NamedRequest, version?: number): Promise<PublishedGraph> {
    const { database, planner, sealer, writes } = this.#deps;
    const { scope, name } = call;
    const { stored, source } = await this.#deps.graphs().find(scope, name, version);
    const planned = planner.assertValid(await planner.check(scope, source, name));
    const assertHookAccess = await checkHookAccess(this.#deps.access, call);
    assertHookAccess(planned.graph.nodes.filter(({ type }) => type.type === WEBHOOK).map(({ node }) => node.id));
    const states = await planner.states(database, scope, planned);
    planner.assertUsable(planned.named, states, ['wrong_kind', 'missing', 'conflict']);
    const prepared = await this.#prepare(call, planned.graph, stored.version_number);
    await sealer.prepare(scope.org_id);
    const triggers = await writes.write(
      call,
      'graph.publish',
      (tx) => this.#register(tx, call, stored.version_number, prepared, assertHookAccess),
      () => `version ${stored.version_number}`,
    );
    const unknown = await planner.unknownVariables(database, scope, planned);
    const warnings = warningsOf(planned.graph, planned.named, states, unknown);
    return { name, published_version: stored.version_number, triggers, warnings };
  }

  async #prepare(call: NamedRequest, graph: CheckedGraph, version: number): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    for (const node of graph.nodes.filter(({ type }) => type.trigger))
      prepared.push(await this.#prepareTrigger(call, node, version));
    return prepared;
  }

  async #prepareTrigger(call: NamedRequest, typed: TypedNode, version: number): Promise<Prepared> {
    const { node, type, config } = typed;
    const registered = { node_id: node.id, type: type.type };
    const name = registeredName(call.name, node.id);
    if (type.type === WEBHOOK) {
      const hook = await this.#prepareHook(call, name, typed);
      const handler = await this.#prepareHandler(call, name, version, hook.on, config);
      return { registered: { ...registered, hook: name, handler: name, on: hook.on }, hook, handler };
    }
    if (type.type === 'trigger.event') {
      const on = patternsOf(config);
      const handler = await this.#prepareHandler(call, name, version, on, config);
      return { registered: { ...registered, handler: name, on }, handler };
    }
    if (type.type !== 'trigger.schedule') return { registered };
    const schedule = await this.#deps.schedules.prepare({
      ...this.#ownership(call, name, version),
      cron: readText(config, 'cron') ?? '',
      timezone: readText(config, 'timezone'),
    });
    return { registered: { ...registered, schedule: name }, schedule };
  }

  #ownership({ scope, name: graph, by }: NamedRequest, name: string, version: number) {
    const workflow = { graph: `${graph}@${version}` };
    return { scope, name, owner: ownerOf(graph), workflow, set_by: by.principal?.id ?? null };
  }

  #prepareHandler(call: NamedRequest, name: string, version: number, on: readonly string[], config: NodeConfig) {
    const when = readText(config, 'when');
    return this.#deps.handlers.prepare({ ...this.#ownership(call, name, version), on, when, flow: flowOf(config) });
  }

  async #prepareHook({ scope }: NamedRequest, name: string, { config }: TypedNode): Promise<DesiredHook> {
    const { manifest, credential } = verificationOf(config) ?? {};
    const key = credential === undefined ? '' : (await this.#deps.credentials.raw(scope, { name: credential })).value;
    const section = manifest === undefined ? undefined : this.#deps.manifests.find(manifest)?.hook;
    return toHook(name, config, key, section?.event_type !== undefined);
  }

  async #register(
    tx: Transaction,
    call: NamedRequest,
    version: number,
    prepared: readonly Prepared[],
    assertHookAccess: HookAccessCheck,
  ): Promise<Registered[]> {
    const { scope, name } = call;
    const row = await graphs.lock(tx, scope, name);
    if (!row || !(await readVersion(tx, scope, name, version))) throw notFound(GRAPH_NOUN, name);
    assertHookAccess(listHookNodes(row));
    const desired = new Map(prepared.map(({ registered }) => [registered.node_id, registered]));
    for (const existing of readTriggers(row)) await this.#dropTrigger(tx, row, existing, desired.get(existing.node_id));
    const views: Registered[] = [];
    for (const trigger of prepared) views.push(await this.#putTrigger(tx, row, trigger));
    const triggers = JSON.stringify(prepared.map(({ registered }) => registered));
    await graphs.replace(tx, { ...row, published_version: version, triggers });
    return views;
  }

  async #putTrigger(
    tx: Transaction,
    row: GraphRow,
    { registered, hook, handler, schedule }: Prepared,
  ): Promise<Registered> {
    const { org_id, project_id } = row;
    const view: Registered = { ...registered };
    if (hook) {
      const minted_hook = { org_id, project_id, name: registered.hook!, owner: ownerOf(row.name), spec: hook.spec };
      const { ingest_url, secret } = await this.#deps.hooks.mint(tx, minted_hook);
      Object.assign(view, { ingest_url, secret });
    }
    await handler?.put(tx);
    const next_due = await schedule?.put(tx);
    return next_due === undefined ? view : { ...view, next_due: iso(next_due) };
  }

  /** Removes what a trigger has registered and will not register again. */
  async #dropTrigger(tx: Transaction, row: GraphRow, existing: Registered, desired?: Registered): Promise<void> {
    const { handlers, hooks, schedules } = this.#deps;
    const ownedKey = (name: string) => ({ ...scopeOf(row), name, owner: ownerOf(row.name) });
    if (existing.hook !== undefined && desired?.hook !== existing.hook) await hooks.drop(tx, ownedKey(existing.hook));
    if (existing.schedule !== undefined && desired?.schedule !== existing.schedule)
      await schedules.drop(tx, ownedKey(existing.schedule));
    if (existing.handler !== undefined && desired?.handler !== existing.handler)
      await handlers.drop(tx, ownedKey(existing.handler));
  }

  /** Checks the right before the transaction of `withdraw`. */
  hookAccess(call: NamedRequest): Promise<HookAccessCheck> {
    return checkHookAccess(this.#deps.access, call);
  }

  /** Removes everything that the graph has registered. Runs continue. The graph's row is locked. Throws `forbidden`. */
  async withdraw(tx: Transaction, row: GraphRow, assertHookAccess: HookAccessCheck): Promise<void> {
    assertHookAccess(listHookNodes(row));
    for (const existing of readTriggers(row)) await this.#dropTrigger(tx, row, existing);
  }

  /**
   * Removes what the triggers registered; does nothing when the graph is not published. Throws `not_found`,
   * `forbidden`.
   */
  async unpublish(call: NamedRequest): Promise<GraphEntry> {
    const assertHookAccess = await this.hookAccess(call);
    const row = await this.#deps.writes.write(call, 'graph.unpublish', async (tx) => {
      const present = await graphs.lock(tx, call.scope, call.name);
      if (!present) throw notFound(GRAPH_NOUN, call.name);
      await this.withdraw(tx, present, assertHookAccess);
      const changed = { ...present, published_version: null, triggers: '[]' };
      await graphs.replace(tx, changed);
      return changed;
    });
    return toEntry(row);
  }
}

/** The nodes of a published graph that have a hook. */
const listHookNodes = (row: GraphRow): string[] =>
  readTriggers(row).flatMap(({ node_id, hook }) => (hook === undefined ? [] : [node_id]));

const scopeOf = ({ org_id, project_id }: ProjectScope): ProjectScope => ({ org_id, project_id });
