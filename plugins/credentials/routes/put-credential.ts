import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import { type GivenFields, kindOf } from '../domain/fields.ts';
import type { CredentialVault } from '../service/vault.ts';
import { ADMIN, bodySchema, CREDENTIAL, entrySchema, nameOf } from './shapes.ts';

/** A field of 48 KiB, each of whose bytes JSON may write as six, and room to be told that it is larger. */
const BODY_LIMIT = 1024 * 1024;

/** `PUT {scoped}/credentials/{name}`: 201 when it is new, 200 when it was replaced, whatever kind it had. */
export const putCredentialRoute = (vault: CredentialVault): Route => ({
  method: 'PUT',
  path: CREDENTIAL,
  operation: 'putCredential',
  summary: 'Store a credential',
  access: ADMIN,
  body: bodySchema,
  body_limit: BODY_LIMIT,
  responses: {
    200: { description: 'Replaced.', schema: entrySchema },
    201: { description: 'Made.', schema: entrySchema },
  },
  async handle(request) {
    const name = nameOf(request);
    const given = request.body as GivenFields;
    const made = await vault.set(request.scope, name, given, auditSource(request));
    return { status: made ? 201 : 200, json: { name, kind: kindOf(given.kind) } };
  },
});
