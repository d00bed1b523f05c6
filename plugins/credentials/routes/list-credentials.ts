import { pageQuery, readPage, type Route } from '../../../kernel/contracts/index.ts';
import type { CredentialVault } from '../service/vault.ts';
import { CREDENTIALS, listSchema, MEMBER } from './shapes.ts';

/** `GET {scoped}/credentials`: names and kinds only, newest first. */
export const listCredentialsRoute = (vault: CredentialVault): Route => ({
  method: 'GET',
  path: CREDENTIALS,
  operation: 'listCredentials',
  summary: 'List the names and kinds of the credentials, newest first',
  access: MEMBER,
  query: pageQuery,
  responses: { 200: { description: 'A page of names and kinds.', schema: listSchema } },
  async handle({ scope, query }) {
    const { items, ...rest } = await vault.list(scope, readPage(query));
    return { status: 200, json: { credentials: items.map(({ name, kind }) => ({ name, kind })), ...rest } };
  },
});
