import { callerOf, type Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { CLAIM_NAMES } from './domain/claims.ts';
import { ALGORITHM } from './domain/jwt.ts';
import { KEYS_CACHED_S } from './domain/limits.ts';
import type { RequestIdToken } from './generated/request-id-token.ts';
import tokenQuery from './schema/id-token-query.schema.json' with { type: 'json' };
import issuedSchema from './schema/issued-id-token.schema.json' with { type: 'json' };
import metadataSchema from './schema/issuer-metadata.schema.json' with { type: 'json' };
import keySetSchema from './schema/key-set.schema.json' with { type: 'json' };
import requestSchema from './schema/request-id-token.schema.json' with { type: 'json' };
import type { Issuer } from './service/issuer.ts';

const PUBLIC = { kind: 'public' } as const;
const KEYS_PATH = '/.well-known/jwks.json';
const CACHED = { 'Cache-Control': `public, max-age=${KEYS_CACHED_S}` };

/** What verifiers read: without a token, as for every issuer. */
export const issuerRoutes = (issuer: Issuer): Route[] => [
  {
    method: 'GET',
    path: '/.well-known/openid-configuration',
    operation: 'getIssuerMetadata',
    summary: 'Describe the issuer of ID tokens',
    access: PUBLIC,
    responses: { 200: { description: 'The metadata.', schema: metadataSchema } },
    async handle() {
      const { url } = issuer;
      const json = {
        issuer: url,
        jwks_uri: `${url}${KEYS_PATH}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [ALGORITHM],
        scopes_supported: ['openid'],
        claims_supported: CLAIM_NAMES,
      };
      return { status: 200, json, headers: CACHED };
    },
  },
  {
    method: 'GET',
    path: KEYS_PATH,
    operation: 'getIssuerKeys',
    summary: 'List the public keys of ID tokens',
    access: PUBLIC,
    responses: { 200: { description: 'The keys.', schema: keySetSchema } },
    handle: async () => ({ status: 200, json: { keys: await issuer.published() }, headers: CACHED }),
  },
];

/** The agent asks for a token under the claim of an activity. People cannot get one. */
export const agentTokenRoutes = (issuer: Issuer): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/agents/activities/:activity/id-tokens',
    operation: 'issueIdToken',
    summary: "Issue an ID token for an activity's run",
    access: { kind: 'agent' },
    unmetered: true,
    query: tokenQuery,
    body: requestSchema,
    responses: { 201: { description: 'The token.', schema: issuedSchema } },
    async handle(request) {
      const { org_id, project_id } = callerOf(request);
      const claim = { activity_id: request.params.activity!, epoch: Number(request.query.epoch) };
      const claimant = { claim, org_id: org_id ?? '', project_id, by: auditSource(request) };
      const json = await issuer.issue(claimant, request.body as RequestIdToken);
      return { status: 201, json, headers: { 'Cache-Control': 'no-store' } };
    },
  },
];
