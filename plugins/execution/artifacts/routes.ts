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
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { RunEngine } from '../../engine/runs/contract.ts';
import { digestHeader } from './domain/digests.ts';
import artifactSchema from './schema/artifact.schema.json' with { type: 'json' };
import listQuery from './schema/list-artifacts-query.schema.json' with { type: 'json' };
import uploadQuery from './schema/upload-query.schema.json' with { type: 'json' };
import uploadSchema from './schema/artifact-upload.schema.json' with { type: 'json' };
import { parseDelivery, parseExpected, UPLOAD_HEADERS } from './service/delivery.ts';
import { download, DOWNLOAD_RESPONSES, RANGE_HEADERS } from './service/download.ts';
import { assertPath, type ArtifactLibrary, type StoreResult } from './service/library.ts';
import type { Uploads } from './service/uploads.ts';

const RUN = `${SCOPED}/runs/:run`;
const ARTIFACT = `${RUN}/artifacts/*`;

const readPath = ({ params }: HttpRequest): string => params['*']!;

const readUploadScope = ({ scope: { org_id, project_id }, params }: HttpRequest) => ({
  org_id,
  project_id,
  run_id: params.run!,
  claim: undefined,
});

export interface RouteDeps {
  library: ArtifactLibrary;
  uploads: Uploads;
  runs: Pick<RunEngine, 'read'>;
  limit_bytes: number;
}

/** Routes through which people and CI use artifacts. */
export function artifactRoutes({ library, uploads, runs, limit_bytes }: RouteDeps): Route[] {
  return [
    listRoute({
      path: `${RUN}/artifacts`,
      operation: 'listArtifacts',
      summary: "List a run's artifacts, ordered by path",
      access: VIEWER,
      query: listQuery,
      plural: 'artifacts',
      item: artifactSchema,
      description: 'A page of artifacts.',
      async list(request) {
        const { cursor, prefix } = request.query;
        const page = { limit: limitOf(request.query), cursor, prefix };
        const { items, ...rest } = await library.list(readUploadScope(request), page);
        // Throws if the run does not exist.
        if (items.length === 0) await runs.read(request.scope, request.params.run!);
        return { items: items.map(render), ...rest };
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
        await library.remove(readUploadScope(request), readPath(request), auditSource(request));
        return { status: 204 };
      },
    },
    {
      method: 'GET',
      path: `${RUN}/artifact-uploads/*`,
      operation: 'getArtifactUpload',
      summary: 'Show how much of an upload is stored, to continue it',
      access: MEMBER,
      query: uploadQuery,
      responses: { 200: { description: 'The number of stored bytes.', schema: uploadSchema } },
      async handle(request) {
        const upload_request = {
          path: assertPath(readPath(request)),
          expected: parseExpected(request),
          activity_id: null,
        };
        return { status: 200, json: { offset: await uploads.readOffset(readUploadScope(request), upload_request) } };
      },
    },
  ];
}

const readRoute = (library: ArtifactLibrary): Route => ({
  method: 'GET',
  path: ARTIFACT,
  operation: 'readArtifact',
  summary: 'Download an artifact or a range of it',
  access: VIEWER,
  streams: true,
  headers: RANGE_HEADERS,
  responses: DOWNLOAD_RESPONSES,
  handle: async (request) =>
    download(library, await library.find(readUploadScope(request), readPath(request)), request),
});

const putRoute = (library: ArtifactLibrary, limit_bytes: number): Route => ({
  method: 'PUT',
  path: ARTIFACT,
  operation: 'putArtifact',
  summary: 'Store an artifact, or the next part of an upload',
  access: MEMBER,
  stream_body: true,
  body_limit: limit_bytes,
  headers: UPLOAD_HEADERS,
  responses: {
    200: { description: 'Stored; it replaced the artifact with this path.', schema: artifactSchema },
    201: { description: 'Stored.', schema: artifactSchema },
    202: { description: 'The part is stored; others are missing.', schema: uploadSchema },
  },
  async handle(request) {
    const delivery = parseDelivery(request, {
      scope: readUploadScope(request),
      path: readPath(request),
      activity_id: null,
    });
    return toReply(await library.store(delivery, auditSource(request)));
  },
});

/** Responds to content with the artifact, or with how far its upload is. */
export function toReply(stored: StoreResult): HttpReply {
  if ('stored' in stored) return { status: 202, json: { offset: stored.stored } };
  const { file, replaced } = stored;
  const digest = digestHeader(file.digest.slice('sha256:'.length));
  return { status: replaced ? 200 : 201, json: render(file), headers: { 'Repr-Digest': digest } };
}

export const render = <T extends { created_at: number }>(file: T) => ({ ...file, created_at: iso(file.created_at) });
