import type { HttpRequest, Route } from '../../../kernel/contracts/index.ts';
import type { Uses } from '../service/uses.ts';
import { CREDENTIAL, MEMBER, nameOf, usesSchema } from './shapes.ts';

/** `GET {scoped}/credentials/{name}/uses`: what would miss the credential. */
export const getUsesRoute = (usesOf: (scope: HttpRequest['scope'], name: string) => Promise<Uses>): Route => ({
  method: 'GET',
  path: `${CREDENTIAL}/uses`,
  operation: 'listCredentialUses',
  summary: 'Show what names a credential',
  access: MEMBER,
  responses: { 200: { description: 'At most 200 of each kind, newest first.', schema: usesSchema } },
  async handle(request) {
    const name = nameOf(request);
    return { status: 200, json: { name, ...(await usesOf(request.scope, name)) } };
  },
});
