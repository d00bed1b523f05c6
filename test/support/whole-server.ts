import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot } from '../../kernel/boot/index.ts';
import { Database, type Resolve } from '../../kernel/contracts/index.ts';
import { Bootstrap, Scopes } from '../../plugins/access/contract.ts';
import { createDatabase, startMysql } from './mysql-server.ts';

export const TEST_ROLES = ['viewer', 'member', 'admin', 'owner', 'rival'] as const;
export type TestRole = (typeof TEST_ROLES)[number];

export interface TestAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  text: string;
}

/** A server with every plugin of the house in this process, on a real database, and a token of every role. */
export interface WholeServer {
  use: Resolve;
  /** `http://127.0.0.1:…` */
  url: string;
  /** `/api/v1/orgs/acme/projects/web`. `rival` owns another org of its own. */
  scoped: string;
  scope: { org_id: string; org: string; project_id: string; project: string };
  call(role: TestRole, line: string, body?: unknown): Promise<TestAnswer>;
  /** Every row of every table whose bytes hold the text, as it is or in hex or base64. */
  tablesWith(text: string): Promise<string[]>;
  stop(): Promise<void>;
}

export interface TestStore {
  name: string;
  open(): Promise<WholeServer>;
  stop(): Promise<void>;
}

/** SQLite always; MySQL or MariaDB where the machine has one. `settings` are variables of the servers. */
export async function wholeServers(settings: Record<string, string> = {}): Promise<TestStore[]> {
  const sqlite: TestStore = {
    name: 'SQLite',
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-whole-'));
      return openServer(
        `sqlite:${join(folder, 'svc.db')}`,
        () => rm(folder, { recursive: true, force: true }),
        settings,
      );
    },
    stop: async () => undefined,
  };
  const server = await startMysql();
  if (!('url' in server)) return [sqlite];
  const open = async () => {
    const database = await createDatabase(server.url);
    return openServer(database.url, database.drop, settings);
  };
  return [sqlite, { name: 'MySQL', open, stop: () => server.stop() }];
}

async function openServer(
  database_url: string,
  drop: () => Promise<void>,
  settings: Record<string, string>,
): Promise<WholeServer> {
  const env = { SVC_MASTER_KEY: randomBytes(32).toString('base64'), SVC_LOG_LEVEL: 'silent', ...settings };
  const kernel = await boot({ role: 'server', env, settings: { database_url, port: 0 } });
  const url = kernel.base_url();
  const ask = async (token: string, line: string, body?: unknown): Promise<TestAnswer> => {
    const [method = 'GET', path = '/'] = line.split(' ');
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text) };
  };
  const tokens = await tokensOf(kernel.use, ask);
  const scope = await kernel.use(Scopes).findProject('acme', 'web');
  return {
    use: kernel.use,
    url,
    scoped: '/api/v1/orgs/acme/projects/web',
    scope: scope!,
    call: (role, line, body) => ask(tokens[role], line, body),
    tablesWith: (text) => tablesWith(kernel.use(Database), text),
    async stop() {
      await kernel.stop();
      await drop();
    },
  };
}

async function tokensOf(
  use: Resolve,
  ask: (token: string, line: string, body?: unknown) => Promise<TestAnswer>,
): Promise<Record<TestRole, string>> {
  const bootstrap = use(Bootstrap);
  const owner = (await bootstrap.ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
  const rival = (await bootstrap.ensure({ user: 'rita', org: 'rival', project: 'web' })).token;
  const role = async (name: 'viewer' | 'member' | 'admin') => {
    await ask(owner, `PUT /api/v1/orgs/acme/projects/web/members/${name}1`, { role: name });
    const made = await ask(owner, 'POST /api/v1/tokens', { name, org: 'acme', user: `${name}1` });
    return made.json.token as string;
  };
  return { owner, rival, viewer: await role('viewer'), member: await role('member'), admin: await role('admin') };
}

async function tablesWith(database: Database, text: string): Promise<string[]> {
  const tables = await database.read<{ name: string }>(
    database.sql.family === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').replace(/=+$/, '')];
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.read(`SELECT * FROM ${name}`);
    const bytes = rows.flatMap((row) => Object.values(row)).map((value) => Buffer.from(ofValue(value)));
    if (bytes.some((value) => forms.some((form) => value.includes(form)))) found.push(name);
  }
  return found;
}

const ofValue = (value: unknown): string | Uint8Array => (value instanceof Uint8Array ? value : String(value));
