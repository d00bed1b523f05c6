import type { Route } from '../../../kernel/contracts/index.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import { SECRET_STORE } from './domain/names.ts';
import type { TestSecretStore } from './generated/test-secret-store.ts';
import put from './schema/put-secret-store.schema.json' with { type: 'json' };
import item from './schema/secret-store.schema.json' with { type: 'json' };
import outcome from './schema/secret-store-test.schema.json' with { type: 'json' };
import test from './schema/test-secret-store.schema.json' with { type: 'json' };
import type { SecretStoreService } from './service/stores.ts';

/** No route shows the login of a store or a value in it. */
export const secretStoreRoutes = (service: SecretStoreService): Route[] =>
  namedResource({
    ...SECRET_STORE,
    roles: { read: 'member', write: 'admin' },
    schemas: { put, item },
    service,
    actions: [
      {
        method: 'POST',
        path: 'test',
        operation: 'testSecretStore',
        summary: 'Read a value from a secret store without showing it',
        role: 'write',
        body: test,
        answer: { description: 'Whether a run could use the value.', schema: outcome },
        handle: (call, { body }) => service.test(call, body as TestSecretStore),
      },
    ],
  });
