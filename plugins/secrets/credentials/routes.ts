import type { Route } from '../../../kernel/contracts/index.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import type { CredentialUses } from './contract.ts';
import { CREDENTIAL } from './domain/names.ts';
import item from './schema/credential.schema.json' with { type: 'json' };
import put from './schema/put-credential.schema.json' with { type: 'json' };
import type { CredentialService } from './service/credential-service.ts';

/** Enough for a field of 48 KiB, which JSON may escape to six times that, and for larger ones so that their size is reported. */
const BODY_LIMIT = 1024 * 1024;

/** No route shows the values of a credential. */
export const credentialRoutes = (service: CredentialService, uses: CredentialUses): Route[] =>
  namedResource({
    ...CREDENTIAL,
    roles: { read: 'member', write: 'admin' },
    schemas: { put, item },
    service,
    body_limit: BODY_LIMIT,
    texts: {
      list: 'List the names and kinds of the credentials, newest first',
      list_answer: 'A page of names and kinds.',
      put: 'Store a credential',
    },
    actions: [
      {
        method: 'GET',
        path: 'uses',
        operation: 'listCredentialUses',
        summary: 'Show what uses a credential',
        role: 'read',
        answer: { description: 'At most 200 of each kind, newest first.', schema: uses.schema },
        handle: async ({ scope, name }) => ({ name, ...(await uses.find(scope, name)) }),
      },
    ],
  });
