import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { SecretVault } from '../service/vault.ts';
import { MEMBER, nameOf, renderEntry, SECRET, valueSchema } from './shapes.ts';

/** `GET {scoped}/secrets/{name}`: the one place that shows a value; every call is audited. */
export const getSecretRoute = (vault: SecretVault): Route => ({
  method: 'GET',
  path: SECRET,
  operation: 'getSecret',
  summary: 'Show the value of one secret',
  access: MEMBER,
  responses: { 200: { description: 'The secret.', schema: valueSchema } },
  async handle(request) {
    const secret = await vault.read(request.scope, nameOf(request), auditSource(request));
    return { status: 200, json: { ...renderEntry(secret), value: secret.value } };
  },
});
