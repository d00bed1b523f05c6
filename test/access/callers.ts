import { randomBytes } from 'node:crypto';
import { Database, type Resolve } from '../../kernel/contracts/index.ts';
import { Bootstrap } from '../../plugins/security/access/contract.ts';
import { type Answer, boot, type Store } from '../kit/index.ts';

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

export interface MatrixAnswer extends Answer {
  request_id: string;
}

/** A server with everybody in it. */
export interface MatrixServer {
  use: Resolve;
  call(caller: Caller, method: string, path: string, body?: unknown): Promise<MatrixAnswer>;
  close(): Promise<void>;
}

export async function openServer(store: Store): Promise<MatrixServer> {
  // Thousands of refused calls come from this one address.
  const env = { SVC_RATE_LIMIT: 'off', SVC_ID_TOKENS: 'on', SVC_PUBLIC_URL: 'https://svc.example' };
  const server = await boot({ store, access: 'empty', env });
  const tokens: Partial<Record<Caller, string>> = {};
  let count = 0;
  const call: MatrixServer['call'] = async (caller, method, path, body) => {
    count += 1;
    const request_id = `matrix-${count}`;
    // A body that is a text is a JSON string here.
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await server.call(tokens[caller], `${method} ${path}`, text, { 'x-request-id': request_id });
    return { ...answer, request_id };
  };
  await makeCallers(server.use, call, tokens);
  return { use: server.use, call, close: () => server.close() };
}

async function makeCallers(
  use: Resolve,
  call: MatrixServer['call'],
  tokens: Partial<Record<Caller, string>>,
): Promise<void> {
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
  const expired = await must('owner', 'POST /api/v1/tokens', { name: 'expired' });
  tokens.expired = expired.token;
  const database = use(Database);
  await database.write('UPDATE access_tokens SET expires_at = ? WHERE token_id = ?', [database.now() - 1, expired.id]);
}
