import {
  ADMIN,
  type HttpRequest,
  type JsonSchema,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { CredentialUses } from '../credentials/contract.ts';
import { canExist, type NamedCall, notFound } from '../resources/contract.ts';
import { ACCOUNT } from './domain/names.ts';
import type { ConnectAccount } from './generated/connect.ts';
import account from './schema/account.schema.json' with { type: 'json' };
import connect from './schema/connect.schema.json' with { type: 'json' };
import consent from './schema/consent.schema.json' with { type: 'json' };
import removed from './schema/removed.schema.json' with { type: 'json' };
import type { AccountService } from './service/account-service.ts';
import type { Consents } from './service/consents.ts';

export interface RouteParts {
  service: AccountService;
  consents: Consents;
  uses: CredentialUses;
}

const ALL = `${SCOPED}/accounts`;
const ONE = `${ALL}/:account`;

/** Throws `not_found` for a name that cannot exist. */
function present(request: HttpRequest): NamedCall {
  const name = request.params.account ?? '';
  if (!canExist(ACCOUNT, name)) throw notFound(ACCOUNT, name);
  return { scope: request.scope, name, by: auditSource(request) };
}

const ok = (description: string, schema: JsonSchema) => ({ 200: { description, schema } });

/** No route answers anything of a token, and none makes an account: a person in a browser does. */
export const accountRoutes = (parts: RouteParts): Route[] => [...reads(parts), ...writes(parts)];

const reads = ({ service, uses }: RouteParts): Route[] => [
  listRoute({
    path: ALL,
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
    path: ONE,
    operation: 'getAccount',
    summary: 'Show a connected account',
    access: MEMBER,
    responses: ok('The account.', account),
    handle: async (request) => ({ status: 200, json: await service.read(present(request)) }),
  },
  {
    method: 'GET',
    path: `${ONE}/uses`,
    operation: 'listAccountUses',
    summary: 'Show what names a connected account',
    access: MEMBER,
    responses: ok('At most 200 of each kind, newest first.', uses.schema),
    handle: async (request) => {
      const { scope, name } = present(request);
      await service.read({ scope, name, by: auditSource(request) });
      return { status: 200, json: { name, ...(await uses.of(scope, name)) } };
    },
  },
];

const writes = ({ service, consents }: RouteParts): Route[] => [
  {
    method: 'POST',
    path: `${ONE}/connect`,
    operation: 'connectAccount',
    summary: 'Send a person to the provider, to connect an account or to connect it again; in a console session only',
    access: ADMIN,
    body: connect,
    responses: ok('Where the person grants access.', consent),
    async handle(request) {
      const { provider } = request.body as ConnectAccount;
      const call = { scope: request.scope, name: request.params.account ?? '', by: auditSource(request) };
      return { status: 200, json: await consents.begin(call, provider, request) };
    },
  },
  {
    method: 'POST',
    path: `${ONE}/disable`,
    operation: 'disableAccount',
    summary: 'Switch a connected account off; connecting it again enables it',
    access: ADMIN,
    responses: ok('The account.', account),
    handle: async (request) => ({ status: 200, json: await service.disable(present(request)) }),
  },
  {
    method: 'DELETE',
    path: ONE,
    operation: 'deleteAccount',
    summary: 'Forget a connected account, and end its grant at the provider',
    access: ADMIN,
    responses: ok('It is forgotten here; the answer says what is known of the provider.', removed),
    handle: async (request) => ({ status: 200, json: await service.remove(present(request)) }),
  },
];
