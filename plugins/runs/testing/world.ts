import {
  AccessControl,
  Clock,
  Database,
  Errors,
  GroupCommits,
  HttpAddress,
  Ids,
  Log,
  Metrics,
  type Migration,
  type Plugin,
  type PluginSetup,
  type Principal,
  type Resolve,
  Sealer,
  Settings,
  type Stop,
} from '../../../kernel/contracts/index.ts';
import { openDatabase } from '../../../kernel/database/index.ts';
import { createHttp, createMetrics, type Http } from '../../../kernel/http/index.ts';
import { createIds } from '../../../kernel/boot/services/ids.ts';
import { systemClock } from '../../../kernel/boot/services/clock.ts';
import { Registry } from '../../../kernel/registry/registry.ts';
import auditPlugin from '../../audit/plugin.ts';
import maskingPlugin from '../../masking/plugin.ts';
import { type Claimed, RunStore, type SubmitRun, type WorkflowKind, WorkflowKinds } from '../contract.ts';
import { registerService } from '../service/register.ts';
import { registerStore } from '../store/register.ts';
import { PlaceSealer } from './place-sealer.ts';
import { openTestDatabase, type Store, type TestDatabase } from './test-database.ts';

const write = () => {};
const quiet: Log = { debug: write, info: write, warn: write, error: write, child: () => quiet };

export const SCOPE = { org_id: 'org_1', org: 'acme', project_id: 'prj_1', project: 'main' };
export const OTHER = { ...SCOPE, project_id: 'prj_2', project: 'other' };
export const LEASE_MS = 60_000;

/** Takes anything; `bad` in the source is a problem. */
const anyKind: WorkflowKind = {
  kind: 'script',
  type: 'svc/script/v1',
  precedence: 90,
  recognises: () => true,
  check: async ({ source }) =>
    source.includes('bad') ? [{ line: 1, column: 1, message: 'it is bad', code: 'script_bad' }] : [],
  plan: ({ source, requires }) => [{ name: 'main', executor: 'script', spec: { source }, requires }],
};

/** The engine on a real database, with HTTP when it is asked for; everything it opened is closed by `close`. */
export interface World {
  use: Resolve;
  /** Starts the sweeper. */
  start(): Promise<void>;
  http(): Promise<string>;
  submit(more?: Partial<SubmitRun>): SubmitRun;
  /** Claims one activity, whoever's it is. */
  claim(): Promise<Claimed>;
  close(): Promise<void>;
}

export interface WorldOptions {
  public_url?: string;
  /** Another server's database, which its owner drops. */
  shared?: TestDatabase;
  /** Further plugins of the house. */
  plugins?: readonly Plugin[];
}

export async function openWorld(store: Store, { public_url, shared, plugins = [] }: WorldOptions = {}): Promise<World> {
  const ids = createIds(systemClock);
  const { url, drop } = shared ? { url: shared.url, drop: async () => {} } : await openTestDatabase(store);
  const handle = await openDatabase({ database_url: url }, { clock: systemClock, log: quiet, ids });
  const settings = { role: 'server', env: {}, host: '127.0.0.1', port: 0, lease_ms: LEASE_MS, public_url } as unknown;
  const registry = new Registry();
  registry.bind('kernel', Settings, () => settings as Settings);
  registry.bind('kernel', Clock, () => systemClock);
  registry.bind('kernel', Ids, () => ids);
  registry.bind('kernel', Log, () => quiet);
  registry.bind('kernel', Metrics, () => createMetrics());
  registry.bind('kernel', Database, () => handle.database);
  registry.bind('kernel', GroupCommits, () => handle.group_commits);
  registry.bind('kernel', Sealer, () => new PlaceSealer());
  registry.bind('kernel', AccessControl, () => roleTokens);
  registry.bind('kernel', HttpAddress, () => ({ base_url: () => http!.base_url(), public_url: () => public_url }));
  registry.contribute('test', WorkflowKinds, () => anyKind);
  const starts: ((use: Resolve) => Promise<Stop>)[] = [];
  const migrations: Migration[] = [];
  const audited: Migration[] = [];
  auditPlugin.register(setupOn('audit', registry, starts, audited));
  const masking: Migration[] = [];
  maskingPlugin.register(setupOn('masking', registry, starts, masking));
  const plugin = setupOn('runs', registry, starts, migrations);
  registerStore(plugin);
  registerService(plugin);
  const further = plugins.map((one) => {
    const own: Migration[] = [];
    one.register(setupOn(one.manifest.id, registry, starts, own));
    return { plugin: one.manifest.id, migrations: own };
  });
  registry.seal();
  await handle.migrate([
    { plugin: 'audit', migrations: audited },
    { plugin: 'masking', migrations: masking },
    { plugin: 'runs', migrations },
    ...further,
  ]);
  let http: Http | undefined;
  const stops: Stop[] = [];
  return {
    use: registry.use,
    async start() {
      for (const run of starts) stops.push(await run(registry.use));
    },
    async http() {
      http ??= createHttp(registry.use);
      await http.listen();
      return http.base_url();
    },
    submit: (more) => ({
      ...SCOPE,
      source: 'true',
      trigger: { type: 'manual' },
      trusted: true,
      generation: 0,
      ...more,
    }),
    async claim() {
      const by = { agent_id: 'agt_1', capabilities: ['linux'] };
      const [claimed] = await registry.use(RunStore).claim(by, 1, LEASE_MS);
      if (!claimed) throw new Error('there was nothing to claim');
      return claimed;
    },
    async close() {
      await http?.close(1000);
      for (const stop of stops) await stop();
      await handle.close();
      await drop();
    },
  };
}

function setupOn(
  id: string,
  registry: Registry,
  starts: ((use: Resolve) => Promise<Stop>)[],
  migrations: Migration[],
): PluginSetup {
  return {
    id,
    bind: (token, make) => registry.bind(id, token, make),
    contribute: (point, make) => registry.contribute(id, point, make),
    migrations: (list) => migrations.push(...list),
    onInit: () => {},
    onStart: (_roles, run) => starts.push(run),
    onReady: () => {},
  };
}

const ROLES = ['viewer', 'member', 'admin'];

/** `Authorization: Bearer <role>`: what a token may do is not what these tests are about. */
const roleTokens: AccessControl = {
  async authenticate(authorization) {
    const role = authorization?.replace('Bearer ', '') ?? '';
    if (!ROLES.includes(role)) throw Errors.notAuthenticated('no such token');
    return { kind: 'user', id: `usr_${role}`, name: role, token_id: 'tok_1', org_id: null } satisfies Principal;
  },
  async authorize(principal, access, params) {
    if (params.org !== SCOPE.org || (params.project !== SCOPE.project && params.project !== OTHER.project))
      throw Errors.notFound('no such project');
    if (access.kind !== 'project' || ROLES.indexOf(principal.name) < ROLES.indexOf(access.role))
      throw Errors.forbidden('the role is too low');
    return params.project === SCOPE.project ? SCOPE : OTHER;
  },
};

/** Runs `work` in a world of its own, which is closed whatever happens. */
export async function withWorld(store: Store, work: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld(store);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}
