import {
  callerOf,
  type HttpReply,
  type HttpRequest,
  MEMBER,
  type Route,
  SCOPED,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { MAX_INCLUDED_BYTES, type RunGuard } from '../../engine/runs/contract.ts';
import askedSchema from './schema/asked-contents.schema.json' with { type: 'json' };
import claimQuery from './schema/content-query.schema.json' with { type: 'json' };
import documentQuery from './schema/document-query.schema.json' with { type: 'json' };
import missingSchema from './schema/missing-contents.schema.json' with { type: 'json' };
import storedSchema from './schema/stored-content.schema.json' with { type: 'json' };
import type { AskedContents } from './generated/asked-contents.ts';
import type { DocumentQuery } from './generated/document-query.ts';
import type { Claimant, Contents, OpenedContent, StoreResult } from './service/contents.ts';

const ACTIVITY_FILE = '/api/v1/agents/activities/:activity/files/:digest';
const AGENT = { kind: 'agent' } as const;
const STORED = {
  200: { description: 'Removed.', schema: storedSchema },
  201: { description: 'Stored.', schema: storedSchema },
};

/**
 * Routes through which the command line uploads the contents of included files, and reads those of stored documents.
 * Nobody can read a content by its digest alone.
 */
export const fileRoutes = (contents: Contents): Route[] => [
  {
    method: 'POST',
    path: `${SCOPED}/files/missing`,
    operation: 'findMissingFiles',
    summary: 'List the file contents that must be uploaded before scripts can include them',
    access: MEMBER,
    body: askedSchema,
    responses: { 200: { description: 'The contents that are not stored.', schema: missingSchema } },
    async handle({ scope, body }) {
      return { status: 200, json: { missing: await contents.findMissing(scope, (body as AskedContents).digests) } };
    },
  },
  {
    method: 'GET',
    path: `${SCOPED}/files/:digest`,
    operation: 'readFile',
    summary: 'Download a file that a handler, a schedule or a webhook includes',
    access: MEMBER,
    streams: true,
    query: documentQuery,
    responses: { 200: { description: 'The content.', type: 'application/octet-stream' } },
    async handle({ scope, params, query }) {
      return toDownload(await contents.openOf(scope, query as unknown as DocumentQuery, params.digest!));
    },
  },
  {
    method: 'PUT',
    path: `${SCOPED}/files/:digest`,
    operation: 'putFile',
    summary: 'Store the content of a file that scripts include',
    access: MEMBER,
    stream_body: true,
    buffers_body: true,
    body_limit: MAX_INCLUDED_BYTES,
    responses: STORED,
    async handle(request) {
      const digest = request.params.digest!;
      return toReply(digest, await contents.store(request.scope, digest, request.content!, auditSource(request)));
    },
  },
];

/** The same for agents, under the claim of an activity and only for contents of its run. */
export const agentFileRoutes = (contents: Contents, guard: RunGuard): Route[] => [
  {
    method: 'GET',
    path: ACTIVITY_FILE,
    operation: 'readActivityFile',
    summary: "Read a file included with an activity's script",
    access: AGENT,
    unmetered: true,
    query: claimQuery,
    responses: { 200: { description: 'The content.', type: 'application/octet-stream' } },
    async handle(request) {
      return toDownload(await contents.open(await readClaimant(guard, request), request.params.digest!));
    },
  },
  {
    method: 'PUT',
    path: ACTIVITY_FILE,
    operation: 'putActivityFile',
    summary: 'Store the content of a file for a run that an activity spawns',
    access: AGENT,
    unmetered: true,
    query: claimQuery,
    stream_body: true,
    buffers_body: true,
    body_limit: MAX_INCLUDED_BYTES,
    responses: STORED,
    async handle(request) {
      const digest = request.params.digest!;
      const claimant = await readClaimant(guard, request);
      return toReply(digest, await contents.upload(claimant, digest, request.content!));
    },
  },
];

const toDownload = ({ size, content }: OpenedContent): HttpReply => ({
  status: 200,
  stream: content,
  type: 'application/octet-stream',
  headers: { 'Content-Length': String(size) },
});

const toReply = (digest: string, { created, size }: StoreResult): HttpReply => ({
  status: created ? 201 : 200,
  json: { digest, size },
});

async function readClaimant(guard: RunGuard, request: HttpRequest): Promise<Claimant> {
  const activity_id = request.params.activity!;
  const run = await guard.runOf(activity_id, callerOf(request).org_id ?? '');
  return { ...run, claim: { activity_id, epoch: Number(request.query.epoch) } };
}
