import {
  callerOf,
  type HttpReply,
  type HttpRequest,
  MEMBER,
  type Route,
  SCOPED,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import { MAX_INCLUDED_BYTES, type RunGuard } from '../runs/contract.ts';
import askedSchema from './schema/asked-contents.schema.json' with { type: 'json' };
import claimQuery from './schema/content-query.schema.json' with { type: 'json' };
import missingSchema from './schema/missing-contents.schema.json' with { type: 'json' };
import storedSchema from './schema/stored-content.schema.json' with { type: 'json' };
import type { AskedContents } from './generated/asked-contents.ts';
import type { Claimant, Contents, Stored } from './service/contents.ts';

const ACTIVITY_FILE = '/api/v1/agents/activities/:activity/files/:digest';
const AGENT = { kind: 'agent' } as const;
const STORED = {
  200: { description: 'It was there.', schema: storedSchema },
  201: { description: 'Stored.', schema: storedSchema },
};

/** Contents of files beside scripts, as the command line brings them. Nobody reads one by its digest alone. */
export const fileRoutes = (contents: Contents): Route[] => [
  {
    method: 'POST',
    path: `${SCOPED}/files/missing`,
    operation: 'findMissingFiles',
    summary: 'Say which contents have to be uploaded before scripts can include them',
    access: MEMBER,
    body: askedSchema,
    responses: { 200: { description: 'Those that are not stored.', schema: missingSchema } },
    async handle({ scope, body }) {
      return { status: 200, json: { missing: await contents.missing(scope, (body as AskedContents).digests) } };
    },
  },
  {
    method: 'PUT',
    path: `${SCOPED}/files/:digest`,
    operation: 'putFile',
    summary: 'Store the content of a file that scripts include',
    access: MEMBER,
    stream_body: true,
    body_limit: MAX_INCLUDED_BYTES,
    responses: STORED,
    async handle(request) {
      const digest = request.params.digest!;
      return answerOf(digest, await contents.store(request.scope, digest, request.content!, auditSource(request)));
    },
  },
];

/** The same for agents, under the claim of an activity, and only what its run has. */
export const agentFileRoutes = (contents: Contents, guard: RunGuard): Route[] => [
  {
    method: 'GET',
    path: ACTIVITY_FILE,
    operation: 'readActivityFile',
    summary: 'Read a file that lies beside the script of an activity',
    access: AGENT,
    unmetered: true,
    query: claimQuery,
    responses: { 200: { description: 'The content.', type: 'application/octet-stream' } },
    async handle(request) {
      const { size, content } = await contents.open(await claimantOf(guard, request), request.params.digest!);
      const headers = { 'Content-Length': String(size) };
      return { status: 200, stream: content, type: 'application/octet-stream', headers };
    },
  },
  {
    method: 'PUT',
    path: ACTIVITY_FILE,
    operation: 'putActivityFile',
    summary: 'Store the content of a file for a run that an activity makes',
    access: AGENT,
    unmetered: true,
    query: claimQuery,
    stream_body: true,
    body_limit: MAX_INCLUDED_BYTES,
    responses: STORED,
    async handle(request) {
      const digest = request.params.digest!;
      const by = await claimantOf(guard, request);
      return answerOf(digest, await contents.bring(by, digest, request.content!));
    },
  },
];

const answerOf = (digest: string, { fresh, size }: Stored): HttpReply => ({
  status: fresh ? 201 : 200,
  json: { digest, size },
});

async function claimantOf(guard: RunGuard, request: HttpRequest): Promise<Claimant> {
  const activity_id = request.params.activity!;
  const run = await guard.runOf(activity_id, callerOf(request).org_id ?? '');
  return { ...run, claim: { activity_id, epoch: Number(request.query.epoch) } };
}
