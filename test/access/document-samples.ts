import { createHash } from 'node:crypto';
import { Database } from '../../kernel/contracts/index.ts';
import { RunStore } from '../../plugins/engine/runs/contract.ts';
import type { MatrixServer } from './callers.ts';
import { CANARY, fresh, inPlace, must, program, run, type Sample, SCOPED } from './sampling.ts';

const document = { version: 'svc-graph/v1', nodes: [{ id: 'a', type: 'set', config: { values: CANARY } }], edges: [] };

const graph: Sample['target'] = async (server, place) => {
  const name = fresh('graph');
  await must(server, place.by, 'PUT', `${inPlace(place)}/graphs/${name}`, document);
  return { graph: name };
};

const artifact: Sample['target'] = async (server, place) => {
  const { run: id } = await run(server, place);
  const path = fresh('file');
  await must(server, place.by, 'PUT', `${inPlace(place)}/runs/${id}/artifacts/${path}`, CANARY);
  return { run: id!, path };
};

const noArtifact: Sample['target'] = async (server, place) => ({ ...(await run(server, place)), path: fresh('file') });

/** An activity that somebody has claimed, with the first epoch. */
const claimed: Sample['target'] = async (server, place) => {
  const { run: run_id } = await run(server, place);
  return { ...(await claimOf(server, run_id!)), path: fresh('file') };
};

/** The same, with an artifact of its run. */
const claimedArtifact: Sample['target'] = async (server, place) => {
  const { run: id, path } = await artifact(server, place);
  return { ...(await claimOf(server, id!)), path: path! };
};

/** A cache of the project, with the content of an artifact. */
const cached: Sample['target'] = async (server, place) => {
  const key = fresh('cache');
  await insertCache(server, await artifact(server, place), key);
  return { path: key };
};

/** An activity that somebody has claimed, in a project with a cache. */
const claimedWithCache: Sample['target'] = async (server, place) => {
  const { run: run_id, path } = await artifact(server, place);
  await insertCache(server, { run: run_id!, path: path! }, 'k');
  return claimOf(server, run_id!);
};

async function insertCache(
  server: MatrixServer,
  { run: run_id, path }: Readonly<Record<string, string>>,
  key: string,
): Promise<void> {
  await server.use(Database).write(
    `INSERT INTO artifacts_caches (project_id, trusted, cache_key, org_id, run_id, blob_id, store, size, digest, created_at,
       used_at, parts)
     SELECT project_id, 1, ?, org_id, run_id, blob_id, store, size, digest, 1, 1, parts FROM artifacts_files f
     WHERE run_id = ? AND path = ?
       AND NOT EXISTS (SELECT 1 FROM artifacts_caches c WHERE c.project_id = f.project_id AND c.cache_key = ?)`,
    [Buffer.from(key), run_id!, Buffer.from(path!), Buffer.from(key)],
  );
}

interface Claims {
  /** Activities by their runs. */
  activities: Map<string, string>;
  last: Promise<void>;
}

/** A fuzz makes several samples at once, and the claim for one of them takes the runs of the others too. */
const claims_of = new WeakMap<MatrixServer, Claims>();

async function claimOf(server: MatrixServer, run_id: string): Promise<{ activity: string }> {
  const claims = claims_of.get(server) ?? { activities: new Map(), last: Promise.resolve() };
  claims_of.set(server, claims);
  claims.last = claims.last.then(() => claimUntil(server, claims.activities, run_id));
  await claims.last;
  const activity = claims.activities.get(run_id);
  if (activity === undefined) throw new Error('the activity cannot be claimed');
  return { activity };
}

async function claimUntil(server: MatrixServer, activities: Map<string, string>, run_id: string): Promise<void> {
  const by = { agent_id: 'agt_matrix', capabilities: program.requires };
  while (!activities.has(run_id)) {
    const claimed = await server.use(RunStore).claim(by, 50, 600_000);
    for (const claim of claimed) activities.set(claim.run_id, claim.activity_id);
    if (claimed.length === 0) return;
  }
}

/** A body that is a text is a JSON string here. */
const TEXT = JSON.stringify(CANARY);
const content = createHash('sha256').update(TEXT).digest('hex');

/** A content that the project does not have yet: whoever brings it is the first. */
const noContent: Sample['target'] = async (server) => {
  await server.use(Database).write('DELETE FROM files_contents WHERE digest = ?', [content]);
  return { digest: `sha256:${content}` };
};

const claimedFile: Sample['target'] = async (server, place) => {
  const files = [{ path: fresh('file'), digest: `sha256:${content}`, size: TEXT.length }];
  await must(server, place.by, 'PUT', `${inPlace(place)}/files/sha256:${content}`, CANARY);
  const { run_id } = await must(server, place.by, 'POST', `${inPlace(place)}/runs`, { ...program, files });
  return { ...(await claimOf(server, run_id)), digest: `sha256:${content}` };
};

const heldFile: Sample['target'] = async (server, place) => {
  const files = [{ path: 'file', digest: `sha256:${content}`, size: TEXT.length }];
  await must(server, place.by, 'PUT', `${inPlace(place)}/files/sha256:${content}`, CANARY);
  await must(server, place.by, 'PUT', `${inPlace(place)}/handlers/holder`, {
    source: 'true',
    on: ['file.held'],
    files,
  });
  return { digest: `sha256:${content}` };
};

const upload = `?digest=sha256:${'0'.repeat(64)}&size=7`;

/** Providers, graphs, connectors and artifacts. */
export const DOCUMENT_SAMPLES: Readonly<Record<string, Sample>> = {
  [`GET ${SCOPED}/providers`]: { rule: 'project viewer', status: 200 },
  [`POST ${SCOPED}/providers/check`]: { rule: 'project admin', status: 200 },

  [`POST ${SCOPED}/expressions/evaluate`]: { rule: 'project member', status: 200, body: { expression: '1 + 1' } },
  [`POST ${SCOPED}/graph-requirements`]: {
    rule: 'project viewer',
    status: 200,
    body: { document: { version: 'svc-graph/v1', nodes: [{ id: 'a', type: 'set', config: { values: 1 } }] } },
  },

  [`GET ${SCOPED}/graphs`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/graphs/:graph`]: { rule: 'project viewer', status: 200, target: graph },
  [`GET ${SCOPED}/graphs/:graph/versions`]: { rule: 'project viewer', status: 200, target: graph },
  [`GET ${SCOPED}/graphs/:graph/requirements`]: { rule: 'project viewer', status: 200, target: graph },
  [`PUT ${SCOPED}/graphs/:graph`]: {
    rule: 'project member',
    status: 200,
    body: document,
    target: graph,
    audits: 'graph.save',
  },
  [`DELETE ${SCOPED}/graphs/:graph`]: { rule: 'project member', status: 204, target: graph, audits: 'graph.delete' },
  [`POST ${SCOPED}/graphs/:graph/publish`]: {
    rule: 'project member',
    status: 200,
    body: {},
    target: graph,
    audits: 'graph.publish',
  },
  [`POST ${SCOPED}/graphs/:graph/unpublish`]: {
    rule: 'project member',
    status: 200,
    target: graph,
    audits: 'graph.unpublish',
  },
  [`GET ${SCOPED}/node-types`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/connectors`]: { rule: 'project viewer', status: 200 },
  [`GET ${SCOPED}/connectors/:connector`]: {
    rule: 'project viewer',
    status: 200,
    target: async () => ({ connector: 'forge_a' }),
    tells: 'connectors are those of the deployment, the same for all',
  },
  [`POST ${SCOPED}/connectors/:connector/actions/:action/render`]: {
    rule: 'project viewer',
    status: 200,
    body: { input: { text: CANARY }, with: { channel: '#ops' } },
    target: async () => ({ connector: 'team_chat', action: 'post_message' }),
    tells: 'connectors are those of the deployment, the same for all',
  },

  [`GET ${SCOPED}/runs/:run/artifacts`]: { rule: 'project viewer', status: 200, target: artifact },
  [`GET ${SCOPED}/runs/:run/artifacts/:path`]: { rule: 'project viewer', status: 200, target: artifact },
  [`PUT ${SCOPED}/runs/:run/artifacts/:path`]: {
    rule: 'project member',
    status: 201,
    body: CANARY,
    target: noArtifact,
    audits: 'artifact.put',
  },
  [`DELETE ${SCOPED}/runs/:run/artifacts/:path`]: {
    rule: 'project member',
    status: 204,
    target: artifact,
    audits: 'artifact.delete',
  },
  [`GET ${SCOPED}/runs/:run/artifact-uploads/:path`]: {
    rule: 'project member',
    status: 200,
    target: noArtifact,
    query: upload,
  },
  [`POST ${SCOPED}/files/missing`]: {
    rule: 'project member',
    status: 200,
    body: { digests: [`sha256:${'0'.repeat(64)}`] },
  },
  [`GET ${SCOPED}/files/:digest`]: {
    rule: 'project member',
    status: 200,
    target: heldFile,
    query: '?kind=handlers&name=holder',
    tells: 'what is no digest is an error; a foreign one is of no document here',
  },
  [`PUT ${SCOPED}/files/:digest`]: {
    rule: 'project member',
    status: 201,
    target: noContent,
    body: CANARY,
    audits: 'file.put',
    tells: 'the digest is that of the body, and names nothing that is there',
  },
  // The org of the claim's run decides: to others it is like one that there is not.
  'PUT /api/v1/agents/activities/:activity/artifacts/:path': {
    rule: 'agent',
    status: 201,
    target: claimed,
    body: CANARY,
    query: '?epoch=1',
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/artifacts': {
    rule: 'agent',
    status: 200,
    target: claimed,
    query: '?epoch=1',
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/artifacts/:path': {
    rule: 'agent',
    status: 200,
    target: claimedArtifact,
    query: '?epoch=1',
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/cache': {
    rule: 'agent',
    status: 200,
    target: claimedWithCache,
    query: '?epoch=1&key=k',
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/cache-content': {
    rule: 'agent',
    status: 200,
    target: claimedWithCache,
    query: '?epoch=1&key=k',
    except: { rival_agent: 409 },
  },
  // No upload has this id; that of a lost claim is not looked for.
  'POST /api/v1/agents/activities/:activity/cache': {
    rule: 'agent',
    status: 409,
    target: claimed,
    query: '?epoch=1',
    body: { key: 'k', upload_id: 'art_NONE' },
    except: { rival_agent: 409 },
  },
  [`GET ${SCOPED}/caches`]: { rule: 'project viewer', status: 200, target: cached },
  [`DELETE ${SCOPED}/caches/:path`]: {
    rule: 'project member',
    status: 204,
    target: cached,
    audits: 'cache.delete',
  },
  'POST /api/v1/agents/activities/:activity/id-tokens': {
    rule: 'agent',
    status: 201,
    target: claimed,
    query: '?epoch=1',
    body: { audience: 'cloud' },
    audits: 'id_token.issue',
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/files/:digest': {
    rule: 'agent',
    status: 200,
    target: claimedFile,
    query: '?epoch=1',
    except: { rival_agent: 409 },
  },
  'PUT /api/v1/agents/activities/:activity/files/:digest': {
    rule: 'agent',
    status: 200,
    target: claimedFile,
    query: '?epoch=1',
    body: CANARY,
    except: { rival_agent: 409 },
  },
  'GET /api/v1/agents/activities/:activity/artifact-uploads/:path': {
    rule: 'agent',
    status: 200,
    target: claimed,
    query: `${upload}&epoch=1`,
    except: { rival_agent: 409 },
  },
};
