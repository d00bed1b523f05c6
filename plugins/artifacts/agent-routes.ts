import { callerOf, type HttpRequest, type Route } from '../../kernel/contracts/index.ts';
import type { RunGuard } from '../runs/contract.ts';
import artifactSchema from './schema/artifact.schema.json' with { type: 'json' };
import claimQuery from './schema/claim-query.schema.json' with { type: 'json' };
import claimedUploadQuery from './schema/claimed-upload-query.schema.json' with { type: 'json' };
import stagedSchema from './schema/staged-artifact.schema.json' with { type: 'json' };
import uploadSchema from './schema/artifact-upload.schema.json' with { type: 'json' };
import { answerOf } from './routes.ts';
import { deliveryOf, expectedOf, UPLOAD_HEADERS } from './service/delivery.ts';
import { checkPath, type Library } from './service/library.ts';
import type { UploadPlace, Uploads } from './service/uploads.ts';

const ACTIVITY = '/api/v1/agents/activities/:activity';
const AGENT = { kind: 'agent' } as const;

export interface AgentRouteParts {
  library: Library;
  uploads: Uploads;
  guard: RunGuard;
  limit_bytes: number;
}

/** Files of activities, as their agents bring them. Only the holder of the claim may, and only for runs of his org. */
export function agentArtifactRoutes({ library, uploads, guard, limit_bytes }: AgentRouteParts): Route[] {
  return [
    {
      method: 'PUT',
      path: `${ACTIVITY}/artifacts/*`,
      operation: 'putActivityArtifact',
      summary: 'Store a file of an activity, or the next piece of one',
      access: AGENT,
      unmetered: true,
      query: claimQuery,
      stream_body: true,
      body_limit: limit_bytes,
      headers: UPLOAD_HEADERS,
      responses: {
        200: {
          description: 'Stored: an artifact, or with `stage` what a call of the script publishes.',
          schema: stagedSchema,
        },
        201: { description: 'Stored, under a new path.', schema: artifactSchema },
        202: { description: 'The piece is stored; others are missing.', schema: uploadSchema },
      },
      async handle(request) {
        const place = await placeOf(guard, request);
        const given = { place, path: request.params['*']!, activity_id: request.params.activity! };
        const delivery = deliveryOf(request, given);
        if (request.query.stage !== 'true') return answerOf(await library.store(delivery));
        const staged = await library.stage(delivery);
        if ('stored' in staged) return { status: 202, json: { offset: staged.stored } };
        return { status: 200, json: { ...staged.file, upload_id: staged.upload_id } };
      },
    },
    {
      method: 'GET',
      path: `${ACTIVITY}/artifact-uploads/*`,
      operation: 'getActivityUpload',
      summary: 'How much of a file of an activity is stored',
      access: AGENT,
      unmetered: true,
      query: claimedUploadQuery,
      responses: { 200: { description: 'How much is stored.', schema: uploadSchema } },
      async handle(request) {
        const wish = {
          path: checkPath(request.params['*']!),
          expected: expectedOf(request),
          activity_id: request.params.activity!,
        };
        return { status: 200, json: { offset: await uploads.stored(await placeOf(guard, request), wish) } };
      },
    },
  ];
}

async function placeOf(guard: RunGuard, request: HttpRequest): Promise<UploadPlace> {
  const activity_id = request.params.activity!;
  const run = await guard.runOf(activity_id, callerOf(request).org_id ?? '');
  return { ...run, claim: { activity_id, epoch: Number(request.query.epoch) } };
}
