import type { Route } from '../../kernel/contracts/index.ts';
import { namedResource } from '../resources/contract.ts';
import { SECRET } from './domain/rules.ts';
import put from './schema/put-secret.schema.json' with { type: 'json' };
import entry from './schema/secret-entry.schema.json' with { type: 'json' };
import set from './schema/secret-name.schema.json' with { type: 'json' };
import item from './schema/secret.schema.json' with { type: 'json' };
import type { SecretService } from './service/secret-service.ts';

/** 48 KiB, each of whose bytes JSON may write as six, and as much again so that a larger one is told its size. */
const BODY_LIMIT = 1024 * 1024;

/** `GET` of one is the only route that shows a value; every call is audited. */
export const secretRoutes = (service: SecretService): Route[] =>
  namedResource({
    ...SECRET,
    roles: { read: 'member', write: 'admin' },
    schemas: { put, item, set, entry },
    service,
    body_limit: BODY_LIMIT,
    texts: {
      list: 'List the names of the secrets, newest first',
      listed: 'A page of names.',
      get: 'Show the value of one secret',
      replaced: 'Set again.',
    },
  });
