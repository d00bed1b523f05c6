import { iso, limitOf, listRoute, MEMBER, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { RunGuard } from '../../engine/runs/contract.ts';
import { readUploadScope } from './agent-routes.ts';
import { formatDigest } from './domain/digests.ts';
import type { SaveCache } from './generated/save-cache.ts';
import cacheQuery from './schema/cache-query.schema.json' with { type: 'json' };
import cacheSchema from './schema/cache.schema.json' with { type: 'json' };
import claimedReadQuery from './schema/claimed-read-query.schema.json' with { type: 'json' };
import saveSchema from './schema/save-cache.schema.json' with { type: 'json' };
import savedSchema from './schema/saved-cache.schema.json' with { type: 'json' };
import type { Caches, CacheView } from './service/caches.ts';
import { download, DOWNLOAD_RESPONSES, RANGE_HEADERS } from './service/download.ts';
import type { ArtifactLibrary } from './service/library.ts';

const ACTIVITY_CACHE = '/api/v1/agents/activities/:activity/cache';
const AGENT = { kind: 'agent' } as const;

/** Routes through which people see and remove the caches of a project. */
export const cacheRoutes = (caches: Caches): Route[] => [
  listRoute({
    path: `${SCOPED}/caches`,
    operation: 'listCaches',
    summary: 'List the caches of a project, ordered by key; those of untrusted runs come last',
    access: VIEWER,
    plural: 'caches',
    item: cacheSchema,
    description: 'A page of caches.',
    async list({ scope, query }) {
      const { items, ...rest } = await caches.list(scope, { limit: limitOf(query), cursor: query.cursor });
      return { items: items.map(render), ...rest };
    },
  }),
  {
    method: 'DELETE',
    path: `${SCOPED}/caches/*`,
    operation: 'deleteCache',
    summary: 'Remove a cache',
    access: MEMBER,
    responses: { 204: { description: 'Removed, for trusted and untrusted runs.' } },
    async handle(request) {
      await caches.remove(request.scope, request.params['*']!, auditSource(request));
      return { status: 204 };
    },
  },
];

/** Routes through which agents find, download and save caches under the claim of an activity. */
export const agentCacheRoutes = (caches: Caches, library: Pick<ArtifactLibrary, 'read'>, guard: RunGuard): Route[] => [
  {
    method: 'GET',
    path: ACTIVITY_CACHE,
    operation: 'findCache',
    summary: 'Find a cache by its key, or the newest cache by a key prefix',
    access: AGENT,
    unmetered: true,
    query: cacheQuery,
    responses: { 200: { description: 'The cache.', schema: cacheSchema } },
    async handle(request) {
      const prefix = request.query.prefix === 'true';
      const cache = await caches.find(await readUploadScope(guard, request), request.query.key!, { prefix });
      return { status: 200, json: render(cache) };
    },
  },
  {
    method: 'GET',
    path: `${ACTIVITY_CACHE}-content`,
    operation: 'readCache',
    summary: 'Download a cache',
    access: AGENT,
    unmetered: true,
    streams: true,
    query: cacheQuery,
    headers: RANGE_HEADERS,
    responses: DOWNLOAD_RESPONSES,
    async handle(request) {
      const cache = await caches.find(await readUploadScope(guard, request), request.query.key!, { prefix: false });
      return download(library, { ...cache, path: 'cache.tar', activity_id: null, position: null }, request);
    },
  },
  {
    method: 'POST',
    path: ACTIVITY_CACHE,
    operation: 'saveCache',
    summary: "Save an activity's upload as a cache",
    access: AGENT,
    unmetered: true,
    query: claimedReadQuery,
    body: saveSchema,
    responses: { 200: { description: 'Whether the cache was saved.', schema: savedSchema } },
    async handle(request) {
      const { key, upload_id } = request.body as SaveCache;
      return { status: 200, json: { saved: await caches.save(await readUploadScope(guard, request), key, upload_id) } };
    },
  },
];

const render = ({ key, trusted, size, digest, run_id, created_at, used_at }: CacheView) => ({
  key,
  trusted,
  size,
  digest: formatDigest(digest),
  run_id,
  created_at: iso(created_at),
  used_at: iso(used_at),
});
