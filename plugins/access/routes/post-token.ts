import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Access } from '../service/access.ts';
import type { TokenRequest } from '../service/tokens.ts';
import { callerOf, name, object, projectRole } from './shapes.ts';
import { OPTIONAL, tokenMembers, tokenViews } from './token-view.ts';

const expires_in = {
  description: 'Whole seconds, or a duration such as `30d`. Absent: never, or with the token that makes it.',
  anyOf: [
    { type: 'integer', minimum: 1 },
    { type: 'string', minLength: 1, maxLength: 64 },
  ],
};

const body = object(
  {
    name,
    kind: { type: 'string', enum: ['user', 'agent'] },
    org: name,
    project: name,
    role: projectRole,
    user: name,
    expires_in,
  },
  ['kind', 'org', 'project', 'role', 'user', 'expires_in'],
);

export const postToken = (access: Access): Route => ({
  method: 'POST',
  path: '/api/v1/tokens',
  operation: 'createToken',
  summary: 'Makes a token, shown this once. It never allows more than the token that makes it.',
  access: { kind: 'user' },
  body,
  responses: {
    201: { description: 'The token.', schema: object({ ...tokenMembers, token: { type: 'string' } }, OPTIONAL) },
  },
  async handle(request) {
    const identity = await callerOf(access, request);
    const { text, row } = await access.tokens.create(identity, request.body as TokenRequest, auditSource(request));
    const [view] = await tokenViews(access, [row]);
    return { status: 201, json: { ...view, token: text }, headers: { 'Cache-Control': 'no-store' } };
  },
});
