import type { Route } from '../../../kernel/contracts/index.ts';
import { namedResource } from '../../platform/resources/contract.ts';
import { SECRET } from './domain/rules.ts';
import put from './schema/put-secret.schema.json' with { type: 'json' };
import entry from './schema/secret-entry.schema.json' with { type: 'json' };
import set from './schema/secret-name.schema.json' with { type: 'json' };
import item from './schema/secret.schema.json' with { type: 'json' };
import type { SecretService } from './service/secret-service.ts';

/** Enough for 48 KiB, which JSON may escape to six times that, and for larger values so that their size is reported. */
const BODY_LIMIT = 1024 * 1024;

/** The routes of secrets. Only `GET` of one secret shows its value, and every such call is audited. */
export const secretRoutes = (service: SecretService): Route[] =>
  namedResource({
    ...SECRET,
    roles: { read: 'member', write: 'admin' },
    schemas: { put, item, set, entry },
    service,
    body_limit: BODY_LIMIT,
    texts: {
      list: 'List the names of the secrets, newest first',
      list_answer: 'A page of names.',
      get: 'Show the value of one secret',
      replaced: 'Replaced.',
    },
  });
