import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { SecretVault } from '../service/vault.ts';
import { ADMIN, bodySchema, nameOf, nameSchema, SECRET } from './shapes.ts';

/** 48 KiB, each of whose bytes JSON may write as six, and as much again so that a larger one is told its size. */
const BODY_LIMIT = 1024 * 1024;

/** `PUT {scoped}/secrets/{name}`: 201 when it is new, 200 when it was set again. */
export const putSecretRoute = (vault: SecretVault): Route => ({
  method: 'PUT',
  path: SECRET,
  operation: 'putSecret',
  summary: 'Set a secret',
  access: ADMIN,
  body: bodySchema,
  body_limit: BODY_LIMIT,
  responses: {
    200: { description: 'Set again.', schema: nameSchema },
    201: { description: 'Made.', schema: nameSchema },
  },
  async handle(request) {
    const name = nameOf(request);
    const { value } = request.body as { value: string };
    const made = await vault.set(request.scope, name, value, auditSource(request));
    return { status: made ? 201 : 200, json: { name } };
  },
});
