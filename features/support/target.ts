import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readFileSync } from 'node:fs';
import { runToEnd, Service, until } from './process.ts';
import { SuiteProvider } from '../../test/support/suite-provider.ts';
import { type AgentOptions, Agents, processEnvironment } from './agents.ts';
import { Probe } from './probe.ts';
import { fillFromTemplate } from '../../test/kit/templates.ts';
import { homeFolder } from './home.ts';

export const clone = resolve(import.meta.dirname, '../..');
/** Of the service under test: an implementation other than this one brings its own. */
export const svcProgram = process.env.SVC_CONFORMANCE_SVC || join(clone, 'cli/svc');

/** The server under test: somebody else's (conformance) or one that is started here. */
export interface Target {
  base_url: string;
  token: string;
  org: string;
  /** Whose token it is. */
  user: string;
  /** Undefined for a server that is not ours: its processes cannot be touched. */
  own?: OwnTarget;
  /** Of one that is not ours: how the machine of its agents is looked at. */
  probe?: Probe;
  /** Agents that are started here and join it. */
  agents: Agents;
  /** Absent where the settings of the server do not name it. */
  provider?: SuiteProvider;
  close(): Promise<void>;
}

export interface OwnTarget {
  folder: string;
  store: 'sqlite' | 'mysql';
  server: Service;
  agents: Service[];
  /** The agents' environment, beyond the machine's. */
  agent_env: Record<string, string>;
  env: Record<string, string>;
  /** Takes the first server's port, unless another is named (`0`: a free one). */
  startServer(port?: string): Promise<{ service: Service; url: string }>;
  startAgent(name: string, extra?: AgentOptions): Promise<Service>;
}

/** Variables that a script must and must not see; planted in every agent that is started here. */
export const planted = {
  LC_TIME: 'C',
  TZ: 'UTC',
  LANGUAGE: 'en',
  SSL_CERT_DIR: '/nowhere/certs',
  PLANTED_SECRET: 'must-not-arrive',
  NODE_OPTIONS: '',
};

/** Of the target that scenarios share: on a machine that stands still now and then, none of them is to lose its work. */
const PATIENT_LEASE_MS = '8000';

export interface TargetOptions {
  database_url?: string;
  /** Of a database on which bootstrap has run; without it, it runs here. */
  bootstrapped?: Bootstrapped;
  env?: Record<string, string>;
  agents?: number;
}

/** The owner of what is started here. */
const USER = 'tester';

/** What `svc admin bootstrap` made, and the key that its secrets are sealed with. */
export interface Bootstrapped {
  org: string;
  token: string;
  master_key: string;
}

/** The target of SVC_CONFORMANCE_URL and SVC_CONFORMANCE_TOKEN, or one of our own on the store of SVC_FEATURES_STORE. */
export async function openTarget(): Promise<Target> {
  const { SVC_CONFORMANCE_URL: url, SVC_CONFORMANCE_TOKEN: token, SVC_CONFORMANCE_PROVIDERS: file } = process.env;
  if (url && token) return foreignTarget(url, token, file || undefined);
  const { SVC_FEATURES_DATABASE_URL: database_url } = process.env;
  const provider = await SuiteProvider.open();
  const env = { SVC_LEASE_MS: PATIENT_LEASE_MS, SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(provider.settings) };
  return withProvider(startTarget({ ...(database_url ? { database_url } : {}), env }), provider);
}

/** A server that somebody else started, with an agent of an org that the token owns. */
export async function foreignTarget(base_url: string, token: string, providers?: string): Promise<Target> {
  const response = await fetch(`${base_url}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${base_url} does not take the token: ${response.status}`);
  const me = (await response.json()) as { user: { name: string }; orgs: { org: string; role: string }[] };
  const owned = me.orgs.filter(({ role }) => role === 'owner').map(({ org }) => org);
  if (owned.length === 0)
    throw new Error('the conformance token must be an owner of an org, because every scenario makes a project');
  const org = await orgWithAgent(base_url, token, owned);
  const probe = await Probe.open({ base_url, token, org });
  const agents = new Agents(svcProgram, await homeFolder('svc-features-'), () => ({ base_url, token, org }));
  const close = async () => {
    await agents.leave();
    await probe.close();
  };
  const target = { base_url, token, org, user: me.user.name, probe, agents, close };
  return providers === undefined ? target : withProvider(Promise.resolve(target), await SuiteProvider.open(providers));
}

/** Both close together. */
async function withProvider(opening: Promise<Target>, provider: SuiteProvider): Promise<Target> {
  try {
    const target = await opening;
    // Whoever asks before the first scenario of accounts, such as `svc doctor`, finds a provider that answers.
    provider.server.become({ redirect_uri: `${target.base_url}/connections/callback` });
    const close = async () => {
      await target.close();
      await provider.close();
    };
    return { ...target, provider, close };
  } catch (error) {
    await provider.close();
    throw error;
  }
}

/** Scenarios make orgs too, and agents work for one; only the agent built into `svc dev` works for all and names none. */
async function orgWithAgent(base_url: string, token: string, owned: readonly string[]): Promise<string> {
  const response = await fetch(`${base_url}/api/v1/agents?limit=200`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { agents } = (await response.json()) as { agents: { state: string; org?: string }[] };
  const online = agents.filter(({ state }) => state === 'online');
  const found = owned.find((one) => online.some(({ org }) => org === undefined || org === one));
  if (found === undefined)
    throw new Error(`no agent is online for ${owned.join(', ')}, and scripts of scenarios need one`);
  return found;
}

/** Starts a server with agents as processes of their own, as an operator would, on a folder that goes away. */
export async function startTarget(options: TargetOptions = {}): Promise<Target> {
  const folder = await homeFolder('svc-features-');
  try {
    return await startIn(folder, options);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string, options: TargetOptions): Promise<Target> {
  const store = options.database_url?.startsWith('mysql') ? ('mysql' as const) : ('sqlite' as const);
  const database_url = options.database_url ?? `sqlite:${join(folder, 'svc.db')}`;
  const { org, token, master_key } = options.bootstrapped ?? (await bootstrap(database_url, folder, options.env));
  const env: Record<string, string> = { ...environment(database_url, master_key, folder), ...options.env };
  const startServer = async (port = env.SVC_PORT ?? '0') => {
    const service = new Service(svcProgram, ['serve'], { env: { ...env, SVC_PORT: port }, cwd: folder });
    const [, url = ''] = await service.says(/svc serve is ready: (\S+)/);
    return { service, url };
  };
  const first = await startServer();
  env.SVC_PORT = new URL(first.url).port;
  const agents = new Agents(svcProgram, folder, () => target, { ...planted });
  const own: OwnTarget = {
    folder,
    store,
    server: first.service,
    agents: agents.started,
    agent_env: agents.env,
    env,
    startServer,
    startAgent: (name, extra) => agents.start(name, extra),
  };
  const base_url = `http://127.0.0.1:${env.SVC_PORT}`;
  const target: Target = { base_url, token, org, user: USER, own, agents, close: () => close(own) };
  try {
    await startAgents(target, options.agents ?? 1);
  } catch (error) {
    await target.close();
    throw error;
  }
  return target;
}

async function startAgents({ base_url, token, own }: Target, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await own?.startAgent(`agent-${index}`);
  await until('an agent to be online', 20_000, async () => {
    const response = await fetch(`${base_url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } });
    const { agents } = (await response.json()) as { agents: { state: string }[] };
    return count === 0 || agents.some(({ state }) => state === 'online') || undefined;
  });
}

const environment = (database_url: string, master_key: string, folder: string): Record<string, string> => ({
  ...processEnvironment(),
  HOME: folder,
  SVC_DATABASE_URL: database_url,
  SVC_MASTER_KEY: master_key,
  SVC_PORT: '0',
  SVC_LEASE_MS: '3000',
  SVC_LOG_LEVEL: 'warn',
});

/** Makes the org and the owner's token on an empty database, as an operator would. */
export async function bootstrap(
  database_url: string,
  folder: string,
  settings: Record<string, string> = {},
): Promise<Bootstrapped> {
  const org = 'conformance';
  const master_key = settings.SVC_MASTER_KEY ?? randomBytes(32).toString('base64');
  const env = { ...environment(database_url, master_key, folder), ...settings };
  await fillFromTemplate({ url: database_url });
  const made = await runToEnd(
    svcProgram,
    ['admin', 'bootstrap', '--org', org, '--project', 'main', '--user', USER, '--json'],
    { env, cwd: folder },
  );
  if (made.exit !== 0) throw new Error(`bootstrap failed: ${made.stderr}`);
  return { org, token: (JSON.parse(made.stdout) as { token: string }).token, master_key };
}

async function close(own: OwnTarget): Promise<void> {
  for (const service of [...own.agents, own.server]) {
    if (service.running) service.child.kill('SIGCONT');
    await service.kill('SIGTERM');
  }
  await rm(own.folder, { recursive: true, force: true });
}

/** What scenarios compare the CLI's own answers with. */
export const packageVersion = (JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { version: string })
  .version;
