import { pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import type { SecretVault } from '../service/vault.ts';
import { listSchema, MEMBER, renderEntry, SECRETS } from './shapes.ts';

/** `GET {scoped}/secrets`: names and when they were set, newest first; never a value. */
export const listSecretsRoute = (vault: SecretVault): Route => ({
  method: 'GET',
  path: SECRETS,
  operation: 'listSecrets',
  summary: 'List the names of the secrets, newest first',
  access: MEMBER,
  query: pageQuery,
  responses: { 200: { description: 'A page of names.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await vault.list(scope, readPage(query));
    return { status: 200, json: { secrets: items.map(renderEntry), ...rest } };
  },
});
