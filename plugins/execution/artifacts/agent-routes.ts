import { callerOf, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import type { RunGuard } from '../../engine/runs/contract.ts';
import artifactSchema from './schema/artifact.schema.json' with { type: 'json' };
import claimQuery from './schema/claim-query.schema.json' with { type: 'json' };
import claimedUploadQuery from './schema/claimed-upload-query.schema.json' with { type: 'json' };
import stagedSchema from './schema/staged-artifact.schema.json' with { type: 'json' };
import uploadSchema from './schema/artifact-upload.schema.json' with { type: 'json' };
import { toReply } from './routes.ts';
import { parseDelivery, parseExpected, UPLOAD_HEADERS } from './service/delivery.ts';
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
 * Routes through which agents upload files of activities. Only the holder of the claim may use them, and only for
 * runs of its org.
 */
export function agentArtifactRoutes({ library, uploads, guard, limit_bytes }: AgentRouteDeps): Route[] {
  return [
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
          description: 'Stored as an artifact, or with `stage` as a file that a call of the script publishes.',
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

async function readUploadScope(guard: RunGuard, request: HttpRequest): Promise<UploadScope> {
  const activity_id = request.params.activity!;
  const run = await guard.runOf(activity_id, callerOf(request).org_id ?? '');
  return { ...run, claim: { activity_id, epoch: Number(request.query.epoch) } };
}
