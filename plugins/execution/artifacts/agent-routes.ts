import { callerOf, type HttpRequest, limitOf, listRoute, type Route } from '../../../kernel/contracts/index.ts';
import type { RunGuard } from '../../engine/runs/contract.ts';
import artifactSchema from './schema/artifact.schema.json' with { type: 'json' };
import claimQuery from './schema/claim-query.schema.json' with { type: 'json' };
import claimedListQuery from './schema/claimed-list-query.schema.json' with { type: 'json' };
import claimedReadQuery from './schema/claimed-read-query.schema.json' with { type: 'json' };
import claimedUploadQuery from './schema/claimed-upload-query.schema.json' with { type: 'json' };
import stagedSchema from './schema/staged-artifact.schema.json' with { type: 'json' };
import uploadSchema from './schema/artifact-upload.schema.json' with { type: 'json' };
import { render, toReply } from './routes.ts';
import { parseDelivery, parseExpected, UPLOAD_HEADERS } from './service/delivery.ts';
import { download, DOWNLOAD_RESPONSES, RANGE_HEADERS } from './service/download.ts';
import { assertPath, type ArtifactLibrary } from './service/library.ts';
import type { UploadScope, Uploads } from './service/uploads.ts';

const ACTIVITY = '/api/v1/agents/activities/:activity';
const AGENT = { kind: 'agent' } as const;

export interface AgentRouteDeps {
  library: ArtifactLibrary;
  uploads: Uploads;
  guard: RunGuard;
  limit_bytes: number;
}

/**
 * Routes through which agents upload files of activities and download artifacts of their runs. Only the holder of the
 * claim may use them, and only for runs of its org.
 */
export function agentArtifactRoutes({ library, uploads, guard, limit_bytes }: AgentRouteDeps): Route[] {
  return [
    listRoute({
      path: `${ACTIVITY}/artifacts`,
      operation: 'listActivityArtifacts',
      summary: "List the artifacts of an activity's run, ordered by path",
      access: AGENT,
      unmetered: true,
      query: claimedListQuery,
      plural: 'artifacts',
      item: artifactSchema,
      description: 'A page of artifacts.',
      async list(request) {
        const scope = await readUploadScope(guard, request);
        await library.assertClaim(scope);
        const { cursor, prefix } = request.query;
        const { items, ...rest } = await library.list(scope, { limit: limitOf(request.query), cursor, prefix });
        return { items: items.map(render), ...rest };
      },
    }),
    {
      method: 'GET',
      path: `${ACTIVITY}/artifacts/*`,
      operation: 'readActivityArtifact',
      summary: "Download an artifact of an activity's run, or a range of it",
      access: AGENT,
      unmetered: true,
      streams: true,
      query: claimedReadQuery,
      headers: RANGE_HEADERS,
      responses: DOWNLOAD_RESPONSES,
      async handle(request) {
        const scope = await readUploadScope(guard, request);
        await library.assertClaim(scope);
        return download(library, await library.find(scope, request.params['*']!), request);
      },
    },
    {
      method: 'PUT',
      path: `${ACTIVITY}/artifacts/*`,
      operation: 'putActivityArtifact',
      summary: "Store an activity's file, or the next part of one",
      access: AGENT,
      unmetered: true,
      query: claimQuery,
      stream_body: true,
      body_limit: limit_bytes,
      headers: UPLOAD_HEADERS,
      responses: {
        200: {
          description: "Stored as an artifact or, with `stage`, as a file that the script's call publishes.",
          schema: stagedSchema,
        },
        201: { description: 'Stored, under a new path.', schema: artifactSchema },
        202: { description: 'The part is stored; others are missing.', schema: uploadSchema },
      },
      async handle(request) {
        const delivery = parseDelivery(request, {
          scope: await readUploadScope(guard, request),
          path: request.params['*']!,
          activity_id: request.params.activity!,
        });
        if (request.query.stage !== 'true') return toReply(await library.store(delivery));
        const staged = await library.stage(delivery);
        if ('stored' in staged) return { status: 202, json: { offset: staged.stored } };
        return { status: 200, json: { ...staged.file, upload_id: staged.upload_id } };
      },
    },
    {
      method: 'GET',
      path: `${ACTIVITY}/artifact-uploads/*`,
      operation: 'getActivityUpload',
      summary: "Show how much of an activity's file is stored",
      access: AGENT,
      unmetered: true,
      query: claimedUploadQuery,
      responses: { 200: { description: 'The number of stored bytes.', schema: uploadSchema } },
      async handle(request) {
        const upload_request = {
          path: assertPath(request.params['*']!),
          expected: parseExpected(request),
          activity_id: request.params.activity!,
        };
        return {
          status: 200,
          json: { offset: await uploads.readOffset(await readUploadScope(guard, request), upload_request) },
        };
      },
    },
  ];
}

/** Returns the run and the claim of the activity that a request is about. Throws `lease_lost` for another org's. */
export async function readUploadScope(guard: RunGuard, request: HttpRequest): Promise<UploadScope> {
  const activity_id = request.params.activity!;
  const run = await guard.runOf(activity_id, callerOf(request).org_id ?? '');
  return { ...run, claim: { activity_id, epoch: Number(request.query.epoch) } };
}
