import {
  callerOf,
  Errors,
  type HttpRequest,
  listRoute,
  pageOf,
  readPage,
  type Route,
  USER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { flagQuery } from './flag-query.ts';
import type { TokenRequest } from './generated/create-token.ts';
import type { TokenRenewal } from './generated/renew-token.ts';
import bodySchema from './schema/create-token.schema.json' with { type: 'json' };
import renewalSchema from './schema/renew-token.schema.json' with { type: 'json' };
import tokenSchema from './schema/token.schema.json' with { type: 'json' };
import type { Access } from './service/access.ts';
import { MAX_LISTED, tokenViews } from './token-views.ts';

/** The only answer that contains the token itself. */
const createdSchema = {
  ...tokenSchema,
  title: 'CreatedToken',
  required: [...tokenSchema.required, 'token'],
  properties: { ...tokenSchema.properties, token: { type: 'string' } },
};

const revokeQuery = flagQuery({
  keep_minted: {
    description:
      'If true, the tokens that it created or was the last to renew stay valid. Otherwise, they are also revoked, together with the tokens that they created.',
  },
  with_minted: {
    deprecated: true,
    description: 'The opposite of keep_minted, for compatibility with earlier versions.',
  },
});

const revokedSchema = {
  title: 'RevokedTokens',
  type: 'object',
  additionalProperties: false,
  required: ['revoked', 'living', 'more', 'beyond_reach'],
  properties: {
    revoked: {
      type: 'array',
      items: tokenSchema,
      description: 'The tokens that it created and that were revoked with it.',
    },
    living: { type: 'array', items: tokenSchema, description: 'The tokens that it created and that are still valid.' },
    more: { type: 'integer', description: 'The number of other tokens that were revoked or are still valid.' },
    beyond_reach: {
      type: 'integer',
      description: 'The number of valid tokens that it created and that the caller can neither see nor revoke.',
    },
  },
};

const TOKENS = '/api/v1/tokens';
const TOKEN = `${TOKENS}/:id`;

export const tokenRoutes = (access: Access): Route[] => [
  {
    method: 'POST',
    path: TOKENS,
    operation: 'createToken',
    summary: 'Creates a token, which is shown only once. It never has more permissions than the token that creates it.',
    access: USER,
    body: bodySchema,
    responses: { 201: { description: 'The token.', schema: createdSchema } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      const { text, row } = await access.tokens.create(identity, request.body as TokenRequest, auditSource(request));
      const [view] = await tokenViews(access, [row]);
      return { status: 201, json: { ...view, token: text }, headers: { 'Cache-Control': 'no-store' } };
    },
  },
  listRoute({
    path: TOKENS,
    operation: 'listTokens',
    summary: "The caller's tokens, and those limited to orgs that the caller owns, newest first; never their values.",
    access: USER,
    plural: 'tokens',
    item: tokenSchema,
    description: 'Tokens.',
    async list(request) {
      const identity = await access.identities.get(callerOf(request));
      const page = readPage(request.query);
      const rows = await access.tokens.list(identity, page);
      const { items, ...rest } = pageOf(rows, page.limit, (row) => row.token_id);
      return { items: await tokenViews(access, items), ...rest };
    },
  }),
  {
    method: 'GET',
    path: TOKEN,
    operation: 'getToken',
    summary: 'One token: its limits, expiry and last use; never its value.',
    access: USER,
    responses: { 200: { description: 'The token.', schema: tokenSchema } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      const [view] = await tokenViews(access, [await access.tokens.read(identity, request.params.id!)]);
      return { status: 200, json: view };
    },
  },
  {
    method: 'POST',
    path: `${TOKEN}/renew`,
    operation: 'renewToken',
    summary:
      "Extends the validity of an agent's token that has not expired. Anyone who can create such a token can renew it. Revoking the token that last renewed it revokes it too.",
    access: USER,
    body: renewalSchema,
    responses: { 200: { description: 'The token, without its value.', schema: tokenSchema } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      const { expires_in } = request.body as TokenRenewal;
      const row = await access.tokens.renew(identity, request.params.id!, expires_in, auditSource(request));
      const [view] = await tokenViews(access, [row]);
      return { status: 200, json: view };
    },
  },
  revokeRoute(access),
];

const revokeRoute = (access: Access): Route => ({
  method: 'DELETE',
  path: TOKEN,
  operation: 'deleteToken',
  summary: 'Revokes a token and the tokens that it created or renewed last, or lists them if they are kept.',
  access: USER,
  query: revokeQuery,
  responses: {
    200: { description: 'Revoked. The token had created other tokens.', schema: revokedSchema },
    204: { description: 'Revoked. None of the tokens that it created is valid.' },
  },
  async handle(request) {
    const identity = await access.identities.get(callerOf(request));
    const keep_minted = sparesIssuedTokens(request);
    const done = await access.tokens.revoke(identity, request.params.id!, { keep_minted }, auditSource(request));
    const { revoked, living, beyond_reach } = done;
    if (revoked.length + living.length + beyond_reach === 0) return { status: 204 };
    const listed = {
      revoked: await tokenViews(access, revoked.slice(0, MAX_LISTED)),
      living: await tokenViews(access, living.slice(0, MAX_LISTED)),
    };
    const more = revoked.length + living.length - listed.revoked.length - listed.living.length;
    return { status: 200, json: { ...listed, more, beyond_reach } };
  },
});

function sparesIssuedTokens({ query: { keep_minted, with_minted } }: HttpRequest): boolean {
  const spared_by_legacy = with_minted === undefined ? undefined : with_minted === 'false';
  if (keep_minted !== undefined && spared_by_legacy !== undefined && (keep_minted === 'true') !== spared_by_legacy)
    throw Errors.invalidRequest('keep_minted and with_minted cannot be combined; send only keep_minted', {
      errors: [{ pointer: '/query/with_minted', message: 'contradicts keep_minted' }],
    });
  return spared_by_legacy ?? keep_minted === 'true';
}
