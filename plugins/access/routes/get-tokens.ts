import { type Route, pageOf, pageQuery, readPage } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { callerOf, listOf } from './shapes.ts';
import { tokenSchema, tokenViews } from './token-view.ts';

export const getTokens = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/tokens',
  operation: 'listTokens',
  summary: 'The caller’s tokens, and those limited to orgs that the caller owns, newest first; never their values.',
  access: { kind: 'user' },
  query: pageQuery,
  responses: { 200: { description: 'Tokens.', schema: listOf('tokens', tokenSchema) } },
  async handle(request) {
    const identity = await callerOf(access, request);
    const page = readPage(request.query);
    const rows = await access.tokens.list(identity, page);
    const { items, ...rest } = pageOf(rows, page.limit, (row) => row.token_id);
    return { status: 200, json: { tokens: await tokenViews(access, items), ...rest } };
  },
});
