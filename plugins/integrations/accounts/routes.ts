import {
  ADMIN,
  type HttpRequest,
  type JsonSchema,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { CredentialUses } from '../../secrets/credentials/contract.ts';
import { canExist, type NamedRequest, notFound } from '../../platform/resources/contract.ts';
import { ACCOUNT } from './domain/names.ts';
import type { ConnectAccount } from './generated/connect.ts';
import type { ConnectClientAccount } from './generated/connect-client.ts';
import account from './schema/account.schema.json' with { type: 'json' };
import accountTest from './schema/account-test.schema.json' with { type: 'json' };
import connectClient from './schema/connect-client.schema.json' with { type: 'json' };
import connect from './schema/connect.schema.json' with { type: 'json' };
import consent from './schema/consent.schema.json' with { type: 'json' };
import removed from './schema/removed.schema.json' with { type: 'json' };
import type { AccountTests } from './service/account-tests.ts';
import type { AccountService } from './service/account-service.ts';
import type { ClientAccounts } from './service/client-accounts.ts';
import type { Consents } from './service/consents.ts';

export interface AccountRoutesDeps {
  service: AccountService;
  consents: Consents;
  clients: ClientAccounts;
  tests: AccountTests;
  uses: CredentialUses;
}

const LIST_PATH = `${SCOPED}/accounts`;
const ITEM_PATH = `${LIST_PATH}/:account`;

/** Throws `not_found` for a name that cannot exist. */
function existingRequest(request: HttpRequest): NamedRequest {
  const name = request.params.account ?? '';
  if (!canExist(ACCOUNT, name)) throw notFound(ACCOUNT, name);
  return { scope: request.scope, name, by: auditSource(request) };
}

const okResponse = (description: string, schema: JsonSchema) => ({ 200: { description, schema } });

/** No route returns a token. Only a person in a browser can connect an account that acts as a person. */
export const accountRoutes = (deps: AccountRoutesDeps): Route[] => [...readRoutes(deps), ...writeRoutes(deps)];

const readRoutes = ({ service, uses }: AccountRoutesDeps): Route[] => [
  listRoute({
    path: LIST_PATH,
    operation: 'listAccounts',
    summary: 'List the connected accounts, newest first',
    description: 'A page of accounts.',
    access: MEMBER,
    plural: 'accounts',
    item: account,
    list: ({ scope, query }) => service.list(scope, readPage(query)),
  }),
  {
    method: 'GET',
    path: ITEM_PATH,
    operation: 'getAccount',
    summary: 'Show a connected account',
    access: MEMBER,
    responses: okResponse('The account.', account),
    handle: async (request) => ({ status: 200, json: await service.read(existingRequest(request)) }),
  },
  {
    method: 'GET',
    path: `${ITEM_PATH}/uses`,
    operation: 'listAccountUses',
    summary: 'Show what uses a connected account',
    access: MEMBER,
    responses: okResponse('At most 200 of each kind, newest first.', uses.schema),
    handle: async (request) => {
      const { scope, name } = existingRequest(request);
      await service.read({ scope, name, by: auditSource(request) });
      return { status: 200, json: { name, ...(await uses.find(scope, name)) } };
    },
  },
];

const writeRoutes = ({ service, consents, clients, tests }: AccountRoutesDeps): Route[] => [
  {
    method: 'POST',
    path: `${ITEM_PATH}/connect`,
    operation: 'connectAccount',
    summary: 'Redirect a person to the provider, to connect or reconnect an account; only in a console session',
    access: ADMIN,
    body: connect,
    responses: okResponse('The address where the user grants access.', consent),
    async handle(request) {
      const { provider } = request.body as ConnectAccount;
      const call = { scope: request.scope, name: request.params.account ?? '', by: auditSource(request) };
      return { status: 200, json: await consents.begin(call, provider, request) };
    },
  },
  {
    method: 'POST',
    path: `${ITEM_PATH}/connect-client`,
    operation: 'connectClientAccount',
    summary: 'Connect or reconnect an account that has its own client and needs no person',
    access: ADMIN,
    body: connectClient,
    responses: okResponse('The account, with its first token.', account),
    async handle(request) {
      const call = { scope: request.scope, name: request.params.account ?? '', by: auditSource(request) };
      await clients.connect(call, request.body as ConnectClientAccount);
      return { status: 200, json: await service.read(call) };
    },
  },
  {
    method: 'POST',
    path: `${ITEM_PATH}/test`,
    operation: 'testAccount',
    summary: 'Send the small request that the provider declares, and show whether the account works',
    access: MEMBER,
    responses: okResponse('What was found.', accountTest),
    handle: async (request) => ({ status: 200, json: await tests.test(existingRequest(request)) }),
  },
  {
    method: 'POST',
    path: `${ITEM_PATH}/disable`,
    operation: 'disableAccount',
    summary: 'Disable a connected account; connecting it again enables it',
    access: ADMIN,
    responses: okResponse('The account.', account),
    handle: async (request) => ({ status: 200, json: await service.disable(existingRequest(request)) }),
  },
  {
    method: 'DELETE',
    path: ITEM_PATH,
    operation: 'deleteAccount',
    summary: 'Remove a connected account, and end its grant at the provider',
    access: ADMIN,
    responses: okResponse('Removed; the response shows the result at the provider.', removed),
    handle: async (request) => ({ status: 200, json: await service.remove(existingRequest(request)) }),
  },
];
