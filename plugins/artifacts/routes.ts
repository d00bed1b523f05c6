import {
  type HttpReply,
  type HttpRequest,
  iso,
  limitOf,
  listRoute,
  MEMBER,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { RunEngine } from '../runs/contract.ts';
import { digestHeader } from './domain/digests.ts';
import artifactSchema from './schema/artifact.schema.json' with { type: 'json' };
import listQuery from './schema/list-artifacts-query.schema.json' with { type: 'json' };
import uploadQuery from './schema/upload-query.schema.json' with { type: 'json' };
import uploadSchema from './schema/artifact-upload.schema.json' with { type: 'json' };
import { deliveryOf, expectedOf, UPLOAD_HEADERS } from './service/delivery.ts';
import { download } from './service/download.ts';
import { checkPath, type Library, type Stored } from './service/library.ts';
import type { Uploads } from './service/uploads.ts';

const RUN = `${SCOPED}/runs/:run`;
const ARTIFACT = `${RUN}/artifacts/*`;

const pathOf = ({ params }: HttpRequest): string => params['*']!;

const placeOf = ({ scope: { org_id, project_id }, params }: HttpRequest) => ({
  org_id,
  project_id,
  run_id: params.run!,
  claim: undefined,
});

export interface RouteParts {
  library: Library;
  uploads: Uploads;
  runs: Pick<RunEngine, 'read'>;
  limit_bytes: number;
}

/** Artifacts as people and CI use them. */
export function artifactRoutes({ library, uploads, runs, limit_bytes }: RouteParts): Route[] {
  return [
    listRoute({
      path: `${RUN}/artifacts`,
      operation: 'listArtifacts',
      summary: 'List the artifacts of a run, in the order of their paths',
      access: VIEWER,
      query: listQuery,
      plural: 'artifacts',
      item: artifactSchema,
      description: 'A page of artifacts.',
      async list(request) {
        const { cursor, prefix } = request.query;
        const page = { limit: limitOf(request.query), cursor, prefix };
        const { items, ...rest } = await library.list(placeOf(request), page);
        // Throws for a run that is not there.
        if (items.length === 0) await runs.read(request.scope, request.params.run!);
        return { items: items.map(shown), ...rest };
      },
    }),
    readRoute(library),
    putRoute(library, limit_bytes),
    {
      method: 'DELETE',
      path: ARTIFACT,
      operation: 'deleteArtifact',
      summary: 'Remove an artifact',
      access: MEMBER,
      responses: { 204: { description: 'Removed.' } },
      async handle(request) {
        await library.remove(placeOf(request), pathOf(request), auditSource(request));
        return { status: 204 };
      },
    },
    {
      method: 'GET',
      path: `${RUN}/artifact-uploads/*`,
      operation: 'getArtifactUpload',
      summary: 'How much of an upload is stored, to continue it',
      access: MEMBER,
      query: uploadQuery,
      responses: { 200: { description: 'How much is stored.', schema: uploadSchema } },
      async handle(request) {
        const wish = { path: checkPath(pathOf(request)), expected: expectedOf(request), activity_id: null };
        return { status: 200, json: { offset: await uploads.stored(placeOf(request), wish) } };
      },
    },
  ];
}

const readRoute = (library: Library): Route => ({
  method: 'GET',
  path: ARTIFACT,
  operation: 'readArtifact',
  summary: 'Download an artifact, whole or a range of it',
  access: VIEWER,
  streams: true,
  headers: { Range: '`bytes=<first>-<last>`: one range.', 'If-Range': 'The `ETag` that the range belongs to.' },
  responses: {
    200: { description: 'The content, with `Repr-Digest` (RFC 9530).', type: 'application/octet-stream' },
    206: { description: 'The range that was asked for.', type: 'application/octet-stream' },
    304: { description: 'The caller has it: `If-None-Match` names its `ETag`.' },
  },
  handle: async (request) => download(library, await library.find(placeOf(request), pathOf(request)), request),
});

const putRoute = (library: Library, limit_bytes: number): Route => ({
  method: 'PUT',
  path: ARTIFACT,
  operation: 'putArtifact',
  summary: 'Store an artifact, or the next piece of an upload',
  access: MEMBER,
  stream_body: true,
  body_limit: limit_bytes,
  headers: UPLOAD_HEADERS,
  responses: {
    200: { description: 'Stored, in place of an artifact with this path.', schema: artifactSchema },
    201: { description: 'Stored.', schema: artifactSchema },
    202: { description: 'The piece is stored; others are missing.', schema: uploadSchema },
  },
  async handle(request) {
    const given = { place: placeOf(request), path: pathOf(request), activity_id: null };
    return answerOf(await library.store(deliveryOf(request, given), auditSource(request)));
  },
});

/** The answer to content: the artifact, or how far its upload is. */
export function answerOf(stored: Stored): HttpReply {
  if ('stored' in stored) return { status: 202, json: { offset: stored.stored } };
  const { file, replaced } = stored;
  const digest = digestHeader(file.digest.slice('sha256:'.length));
  return { status: replaced ? 200 : 201, json: shown(file), headers: { 'Repr-Digest': digest } };
}

const shown = <T extends { created_at: number }>(file: T) => ({ ...file, created_at: iso(file.created_at) });
