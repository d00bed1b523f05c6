import { Database, Ids } from '../../../../kernel/contracts/index.ts';
import { anyScript, bootEngine, StandInAgent, type TestDatabase } from '../../../../test/kit/index.ts';
import { EventBus, type NewEvent } from '../../bus/contract.ts';
import { RunLimits, RunStore, type WorkflowKind } from '../../../engine/runs/contract.ts';
import type { PutHandlerBody } from '../generated/put-handler.ts';
import { HandlersToken } from '../service/handlers.ts';
import { type TrialDeps, dryRunRecorded } from '../service/dry-run.ts';

const BY = { principal: null, request_id: 'req', ip: '127.0.0.1' };

/** Stands in for a workflow kind of a plugin: a stored graph, by its name. */
export const graphs: WorkflowKind = {
  ...anyScript,
  kind: 'graph',
  type: 'svc-graph/v1',
  marks: { versions: ['svc-graph/v1'] },
  references: ['graph', 'node'],
  takes_credentials: false,
  replays: false,
  resolve: async (_on, _scope, { graph: name, node, config = {} }) =>
    name === undefined
      ? { source: JSON.stringify({ node, config }), pin: { form: 'node', name: node! } }
      : { source: JSON.stringify({ graph: name }), workflow: name, pin: { form: 'graph', name, version: 1 } },
};

export type World = Awaited<ReturnType<typeof openWorld>>;

/** One server with handlers on a shared database. It gets its own project unless one is named. */
export async function openWorld(
  database: TestDatabase,
  {
    kinds,
    project_id,
    plugins = [],
    idle,
    env,
  }: {
    kinds?: readonly WorkflowKind[];
    project_id?: string;
    plugins?: string[];
    idle?: boolean;
    env?: Record<string, string>;
  } = {},
) {
  const server = await bootEngine({
    database,
    kinds,
    ...(idle !== undefined && { idle }),
    ...(env && { env }),
    plugins: ['handlers', ...plugins],
  });
  const { use, log } = server;
  const project = project_id ?? use(Ids).next('prj');
  // Every project has its own org, so that claims of tests never meet.
  const scope = { org: 'acme', project: 'main', org_id: project.replace('prj', 'org'), project_id: project };
  // The credential that the handlers of tests use.
  await use(Database).write(
    `${use(Database).sql.insert_ignore} credentials_credentials (project_id, name, org_id, credential_id, kind, fields, set_at)
     VALUES (?, 'bot', ?, ?, 'bearer', ?, 0)`,
    [project, scope.org_id, use(Ids).next('crd'), Buffer.alloc(0)],
  );
  return {
    use,
    scope,
    database: use(Database),
    get warnings() {
      return log.lines.filter(({ level }) => level === 'warn');
    },
    handlers: use(HandlersToken),
    limits: use(RunLimits),
    bus: use(EventBus),
    runs: use(RunStore),
    agent: new StandInAgent(use, { org_id: scope.org_id }),
    eventOf: (over: Partial<NewEvent>): NewEvent => ({ ...EMIT, ...scope, ...over }),
    set: (name: string, body: Partial<PutHandlerBody>) =>
      use(HandlersToken).set({ scope, name, by: BY }, { on: ['deploy.done'], source: 'true', ...body }),
    remove: (name: string) => use(HandlersToken).remove({ scope, name, by: BY }),
    try: (deps: TrialDeps, name: string, event_id: string) => dryRunRecorded(deps, { scope, name, by: BY }, event_id),
    emit: (over: Partial<NewEvent> = {}) => use(EventBus).emit({ ...EMIT, ...scope, ...over }),
    close: () => server.close(),
  };
}

/** Emits an event as a person would. */
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

/** Returns every run, ordered by id. */
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

/** Returns the deliveries of events to handlers as `event handler state reason`, without the ids of events. */
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
