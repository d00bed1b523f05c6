import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot } from '../../kernel/boot/index.ts';
import { Database, type Resolve } from '../../kernel/contracts/index.ts';
import { Bootstrap } from '../../plugins/access/contract.ts';
import { Access } from '../../plugins/access/service/access.ts';
import { UNLIMITED } from '../../plugins/access/domain/roles.ts';
import { OPERATOR } from '../../plugins/audit/contract.ts';
import { createDatabase, startMysql } from '../support/mysql-server.ts';

/** The org and project in question, and a second project of the org; another org with a project of the same name. */
export const ORG = 'acme-corp';
export const PROJECT = 'storefront';
export const SIDE = 'side-street';
export const RIVAL_ORG = 'rival-corp';

/**
 * Everybody who may call. `outsider` is in the org and in no project; `capped` is the owner's token narrowed to viewer,
 * `elsewhere` the owner's token narrowed to the other project.
 */
export const CALLERS = [
  'nobody',
  'unknown',
  'expired',
  'revoked',
  'outsider',
  'viewer',
  'member',
  'admin',
  'owner',
  'capped',
  'elsewhere',
  'rival',
  'agent',
  'rival_agent',
] as const;
export type Caller = (typeof CALLERS)[number];

export interface Answer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  request_id: string;
}

export interface House {
  use: Resolve;
  call(caller: Caller, method: string, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Store {
  name: string;
  open(): Promise<House>;
  stop(): Promise<void>;
}

/** SQLite always; MySQL or MariaDB where the machine has one. */
export async function stores(): Promise<Store[]> {
  const sqlite: Store = {
    name: 'SQLite',
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-matrix-'));
      return openHouse(`sqlite:${join(folder, 'svc.db')}`, () => rm(folder, { recursive: true, force: true }));
    },
    stop: async () => undefined,
  };
  const server = await startMysql();
  if (!('url' in server)) return [sqlite];
  const open = async () => {
    const { url, drop } = await createDatabase(server.url);
    return openHouse(url, drop);
  };
  return [sqlite, { name: 'MySQL', open, stop: () => server.stop() }];
}

async function openHouse(database_url: string, drop: () => Promise<void>): Promise<House> {
  const env = {
    SVC_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_LOG_LEVEL: 'silent',
    // Thousands of refused calls come from this one address.
    SVC_RATE_LIMIT: 'off',
  };
  const kernel = await boot({ role: 'server', env, settings: { database_url, port: 0 } });
  const tokens: Partial<Record<Caller, string>> = {};
  let count = 0;
  const call: House['call'] = async (caller, method, path, body) => {
    count += 1;
    const request_id = `matrix-${count}`;
    const headers: Record<string, string> = { 'x-request-id': request_id };
    const token = tokens[caller];
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${kernel.base_url()}${path}`, { method, headers, ...payload });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    return { status: answer.status, text, json, request_id };
  };
  await settle(kernel.use, call, tokens);
  return {
    use: kernel.use,
    call,
    async stop() {
      await kernel.stop();
      await drop();
    },
  };
}

async function settle(use: Resolve, call: House['call'], tokens: Partial<Record<Caller, string>>): Promise<void> {
  const must = async (caller: Caller, line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const answer = await call(caller, method, path, body);
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const make = async (name: string, more: object, by: Caller = 'owner') =>
    (await must(by, 'POST /api/v1/tokens', { name, org: ORG, ...more })).token as string;
  const bootstrap = use(Bootstrap);
  tokens.owner = (await bootstrap.ensure({ user: 'olga', org: ORG, project: PROJECT })).token;
  tokens.rival = (await bootstrap.ensure({ user: 'rita', org: RIVAL_ORG, project: PROJECT })).token;
  await must('owner', `PUT /api/v1/orgs/${ORG}/projects/${SIDE}`);
  await must('owner', `PUT /api/v1/orgs/${ORG}/members/otto`, { role: 'member' });
  tokens.outsider = await make('outsider', { user: 'otto' });
  for (const [role, user] of [
    ['viewer', 'vera'],
    ['member', 'max'],
    ['admin', 'ada'],
  ] as const) {
    await must('owner', `PUT /api/v1/orgs/${ORG}/projects/${PROJECT}/members/${user}`, { role });
    tokens[role] = await make(role, { user });
  }
  tokens.capped = await make('capped', { role: 'viewer' });
  tokens.elsewhere = await make('elsewhere', { project: SIDE, role: 'admin' });
  tokens.agent = await make('builder', { kind: 'agent' });
  tokens.rival_agent = await make('stranger', { kind: 'agent', org: RIVAL_ORG }, 'rival');
  tokens.unknown = `svc_pat_${randomBytes(32).toString('base64url')}`;
  const revoked = await must('owner', 'POST /api/v1/tokens', { name: 'revoked' });
  tokens.revoked = revoked.token;
  await must('owner', `DELETE /api/v1/tokens/${revoked.id}`);
  tokens.expired = await expiredToken(use);
}

async function expiredToken(use: Resolve): Promise<string> {
  const { directory, tokens } = use(Access);
  const { user_id } = await directory.putUser('olga');
  const expires_at = use(Database).now() - 1;
  const wanted = {
    kind: 'user',
    user_id,
    limits: UNLIMITED,
    expires_at,
    name: 'expired',
    created_by: user_id,
  } as const;
  return (await tokens.issue(wanted, OPERATOR)).text;
}
