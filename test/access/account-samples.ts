import { Database, Sealer } from '../../kernel/contracts/index.ts';
import { Scopes } from '../../plugins/security/access/contract.ts';
import { CredentialNames } from '../../plugins/secrets/credentials/contract.ts';
import { CANARY, fresh, type Sample, SCOPED } from './sampling.ts';

/** A row of a connected account: the way through a provider is tested elsewhere. */
const account: Sample['target'] = async (server, { org, project }) => {
  const name = fresh('mail');
  const scope = (await server.use(Scopes).findProject(org, project))!;
  const { org_id, project_id } = scope;
  const account_id = fresh('acc_');
  await server.use(Sealer).prepare(org_id);
  const place = {
    org_id,
    project_id,
    table: 'accounts_accounts',
    kind: 'account',
    name: account_id,
    field: 'tokens/1',
  };
  const tokens = server.use(Sealer).seal(place, Buffer.from('{"access_token":"at"}'));
  await server.use(Database).transaction(async (tx) => {
    await server.use(CredentialNames).reserve(tx, scope, name, 'account');
    await tx.write(
      `INSERT INTO accounts_accounts (project_id, name, org_id, account_id, provider, far_id, far_label, status, status_at,
         granter_id, granter, scopes_asked, scopes, granted_at, renewable, epoch, tokens, failures)
       VALUES (?, ?, ?, ?, 'far', '7', 'ana', 'active', 1, 'usr_x', 'ana', '[]', '[]', 1, 0, 1, ?, 0)`,
      [project_id, name, org_id, account_id, tokens],
    );
  });
  return { account: name };
};

/** Sessions and connected accounts. */
export const ACCOUNT_SAMPLES: Readonly<Record<string, Sample>> = {
  'POST /api/v1/session': { rule: 'user', status: 201, audits: 'session.begin' },
  'DELETE /api/v1/session': { rule: 'user', status: 204 },
  // No caller of the matrix is in a browser.
  'GET /api/v1/session': { rule: 'user', status: 401 },
  'GET /api/v1/sessions': { rule: 'user', status: 200 },
  'DELETE /api/v1/sessions': { rule: 'user', status: 204, audits: 'session.everywhere' },
  // No caller of the matrix has a session of that name.
  'DELETE /api/v1/sessions/:session': {
    rule: 'user',
    status: 404,
    target: async () => ({ session: 'ses_00000000000000000000000000' }),
  },
  'POST /api/v1/session/links': { rule: 'user', status: 201, audits: 'session.link' },
  'POST /api/v1/session/redeem': { rule: 'public', status: 401, body: { code: 'nobodys' } },
  'GET /api/v1/session/methods': { rule: 'public', status: 200 },
  'POST /api/v1/orgs/:org/session/methods/check': { rule: 'org owner', status: 200 },
  // No issuer is configured.
  'GET /session/start': { rule: 'public', status: 404 },
  'GET /session/callback': { rule: 'public', status: 404 },
  [`GET ${SCOPED}/accounts`]: { rule: 'project member', status: 200 },
  [`GET ${SCOPED}/accounts/:account`]: { rule: 'project member', status: 200, target: account },
  [`GET ${SCOPED}/accounts/:account/uses`]: { rule: 'project member', status: 200, target: account },
  [`POST ${SCOPED}/accounts/:account/connect`]: {
    rule: 'project admin',
    // No caller of the matrix is in a browser.
    status: 403,
    body: { provider: 'far' },
    target: account,
    tells: 'it connects what is absent too',
  },
  [`POST ${SCOPED}/accounts/:account/connect-client`]: {
    rule: 'project admin',
    // The server of the matrix has no provider.
    status: 409,
    body: { provider: 'far', grant: 'client_credentials', client_id: 'robot', client_secret: CANARY },
    target: account,
    tells: 'it connects what is absent too',
  },
  [`POST ${SCOPED}/accounts/:account/test`]: {
    rule: 'project member',
    status: 200,
    target: account,
    audits: 'account.test',
  },
  [`POST ${SCOPED}/accounts/:account/disable`]: {
    rule: 'project admin',
    status: 200,
    target: account,
    audits: 'account.disabled',
  },
  [`DELETE ${SCOPED}/accounts/:account`]: {
    rule: 'project admin',
    status: 200,
    target: account,
    audits: 'account.delete',
  },
  'GET /connections/callback': { rule: 'public', status: 400 },
};
