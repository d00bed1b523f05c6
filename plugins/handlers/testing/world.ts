import { systemClock } from '../../../kernel/boot/services/clock.ts';
import { createIds } from '../../../kernel/boot/services/ids.ts';
import {
  Clock,
  Database,
  Expressions,
  GroupCommits,
  Ids,
  Log,
  Metrics,
  type Migration,
  type Plugin,
  type Resolve,
  Sealer,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { openDatabase } from '../../../kernel/database/index.ts';
import { createExpressions } from '../../../kernel/expressions/index.ts';
import { createMetrics } from '../../../kernel/http/index.ts';
import { Registry } from '../../../kernel/registry/registry.ts';
import auditPlugin from '../../audit/plugin.ts';
import { EventBus, type NewEvent } from '../../bus/contract.ts';
import busPlugin from '../../bus/plugin.ts';
import maskingPlugin from '../../masking/plugin.ts';
import { CredentialChecks, RunStore, type WorkflowKind, WorkflowKinds } from '../../runs/contract.ts';
import runsPlugin from '../../runs/plugin.ts';
import { PlaceSealer } from '../../runs/testing/place-sealer.ts';
import type { TestDatabase } from '../../runs/testing/test-database.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import handlersPlugin from '../plugin.ts';
import { OwnHandlers } from '../service/handlers.ts';

const ORG = { org: 'acme', project: 'main' };
export const BY = { principal: null, request_id: 'req', ip: '127.0.0.1' };
const LEASE_MS = 600_000;

/** Takes anything; `bad` in the source is a problem. */
const script: WorkflowKind = {
  kind: 'script',
  type: 'svc/script/v1',
  precedence: 90,
  recognises: () => true,
  check: async ({ source }) =>
    source.includes('bad') ? [{ line: 1, column: 1, message: 'it is bad', code: 'script_bad' }] : [],
  plan: ({ source, requires }) => [{ name: 'main', executor: 'script', spec: { source }, requires }],
};

/** Stands for a kind that a plugin brings: a stored graph by its name. */
const graph: WorkflowKind = { ...script, kind: 'graph', type: 'svc-graph/v1', recognises: () => false };

export type World = Awaited<ReturnType<typeof openWorld>>;

export interface WorldOptions {
  kinds?: readonly WorkflowKind[];
  /** Absent: a project of its own. */
  project_id?: string;
}

/** One server: the engine, the bus and handlers on a real database, which others share. */
export async function openWorld({ url }: TestDatabase, { kinds = [script], project_id }: WorldOptions = {}) {
  const ids = createIds(systemClock);
  const project = project_id ?? ids.next('prj');
  // An org each, so that claims of tests never meet.
  const scope = { ...ORG, org_id: project.replace('prj', 'org'), project_id: project };
  const warnings: { message: string; fields: Record<string, unknown> }[] = [];
  const nothing = () => {};
  const log: Log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (fields, message) => void warnings.push({ fields, message }),
    child: () => log,
  };
  const handle = await openDatabase({ database_url: url }, { clock: systemClock, log, ids });
  const registry = new Registry();
  const settings = { role: 'server', env: {}, lease_ms: LEASE_MS, public_url: undefined } as unknown as Settings;
  registry.bind('kernel', Settings, () => settings);
  registry.bind('kernel', Clock, () => systemClock);
  registry.bind('kernel', Ids, () => ids);
  registry.bind('kernel', Log, () => log);
  registry.bind('kernel', Metrics, () => createMetrics());
  registry.bind('kernel', Expressions, () => createExpressions());
  registry.bind('kernel', Database, () => handle.database);
  registry.bind('kernel', GroupCommits, () => handle.group_commits);
  registry.bind('kernel', Sealer, () => new PlaceSealer());
  registry.contribute('test', WorkflowKinds, () => kinds);
  registry.contribute('test', CredentialChecks, () => ({ name: 'any', check: async () => {} }));
  const migrations = [auditPlugin, maskingPlugin, runsPlugin, busPlugin, handlersPlugin].map((plugin) => ({
    plugin: plugin.manifest.id,
    migrations: registered(plugin, registry),
  }));
  registry.seal();
  await handle.migrate(migrations);
  const use: Resolve = registry.use;
  const eventOf = (over: Partial<NewEvent>): NewEvent => ({ ...EMIT, ...scope, ...over });
  return {
    use,
    scope,
    eventOf,
    database: handle.database,
    warnings,
    handlers: use(OwnHandlers),
    bus: use(EventBus),
    runs: use(RunStore),
    set: (name: string, body: Partial<PutHandlerBody>) =>
      use(OwnHandlers).set(scope, name, { on: ['deploy.done'], source: 'true', ...body }, BY),
    emit: (over: Partial<NewEvent> = {}) => use(EventBus).emit(eventOf(over)),
    close: () => handle.close(),
  };
}

export const WITH_GRAPHS: readonly WorkflowKind[] = [script, graph];

function registered(plugin: Plugin, registry: Registry): Migration[] {
  const { id } = plugin.manifest;
  const migrations: Migration[] = [];
  plugin.register({
    id,
    bind: (token, make) => registry.bind(id, token, make),
    contribute: (point, make) => registry.contribute(id, point, make),
    migrations: (list) => migrations.push(...list),
    onInit: () => {},
    onStart: () => {},
    onReady: () => {},
  });
  return migrations;
}

/** An emit by a person. */
const EMIT = {
  type: 'deploy.done',
  key: null,
  payload: null,
  source: 'emit',
  source_name: '',
  generation: 0,
  trusted: true,
  refusable: true,
} as const;

export interface RunRow {
  run_id: string;
  status: string;
  subject: string | null;
  generation: number;
  trusted: number;
  trigger: Record<string, unknown>;
}

/** Every run, in the order of ids. */
export async function runsOf({ database, scope }: World): Promise<RunRow[]> {
  const rows = await database.read<RunRow & { given: string }>(
    `SELECT run_id, status, subject, generation, trusted, trigger_fields AS given FROM runs_runs WHERE project_id = ? ORDER BY run_id`,
    [scope.project_id],
  );
  return rows.map(({ given, ...row }) => ({
    ...row,
    generation: Number(row.generation),
    trigger: JSON.parse(given) as Record<string, unknown>,
  }));
}

/** What became of events for handlers: `event handler state reason`, ids of events left out. */
export async function deliveriesOf({ database, scope }: World): Promise<string[]> {
  const rows = await database.read<{ name: string; state: string; reason: string | null }>(
    `SELECT d.name AS name, d.state AS state, d.reason AS reason FROM bus_deliveries d
     JOIN bus_events e ON e.event_id = d.event_id WHERE d.reaction = 'handler' AND e.project_id = ? ORDER BY e.seq, d.name`,
    [scope.project_id],
  );
  return rows.map(({ name, state, reason }) => [name, state, reason].filter((part) => part !== null).join(' '));
}

export async function count({ database, scope }: World, table: string): Promise<number> {
  const [row] = await database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE project_id = ?`, [
    scope.project_id,
  ]);
  return Number(row!.n);
}

/** Claims what there is, at most so much, and ends it; answers the runs in the order of claims. */
export async function work({ runs, scope }: World, limit: number): Promise<string[]> {
  const by = { agent_id: 'agt_1', org_id: scope.org_id, capabilities: ['linux'] };
  const claimed = await runs.claim(by, limit, LEASE_MS);
  for (const { activity_id, epoch } of claimed)
    await runs.complete({ activity_id, epoch }, { status: 'succeeded', output: null });
  return claimed.map(({ run_id }) => run_id);
}
