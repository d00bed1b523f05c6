/** Bytes of rows that a request may read: a page of a list, and one document with what belongs to it. */
export const BYTES = { list: 256 * 1024, detail: 4 * 1024 * 1024 } as const;
/** Pages that a request may read of a SQLite file although no row of its answer needs them. */
export const WALKED = 32;
const MiB = 1024 * 1024;

/** How a route is asked, and what it may read at most. */
export interface Asked {
  /** Who asks; default `owner`. */
  as?: 'owner' | 'agent';
  /** `?…`; `{name}` stands for what was planted. */
  query?: string;
  /** The answer; default 200. */
  status?: number;
  /** Parameters of the path that are not called like what was planted. */
  params?: Readonly<Record<string, string>>;
  /** Default: that of a list where the route has a `limit`, else that of a detail. */
  bytes?: number;
  /** Rows; default 1500. */
  rows?: number;
  /** Pages of a SQLite file that it may read in vain; default `WALKED`. */
  walked?: number;
  /** The answer is as long as what was stored, and goes out piece by piece: the bound is that of each statement. */
  streamed?: true;
}

const SCOPED = '/api/v1/orgs/{org}/projects/{project}';
const upload = `digest=sha256:${'0'.repeat(64)}&size=7`;
/** A page of so many rows reads so much more than one of 50. */
const FULL: Asked = { query: '?limit=200', bytes: MiB };
const LIST: Asked[] = [{}, FULL];
/** One whose answer has all values, which have 256 KiB together. */
const VALUES: Asked[] = [{ bytes: MiB / 2 }, { query: '?limit=200', bytes: MiB / 2 }];
/** One whose answer is not larger than what the server itself has to say. */
const SMALL: Asked = { bytes: 64 * 1024 };

/** Every route that reads. One that is not in this table fails the test, and so does one that is gone. */
export const ROUTES: Readonly<Record<string, Asked | Asked[]>> = {
  '/healthz': SMALL,
  '/.well-known/openid-configuration': SMALL,
  '/.well-known/jwks.json': SMALL,
  '/readyz': SMALL,
  '/metrics': SMALL,
  '/api/v1/openapi.json': SMALL,
  '/api/v1/whoami': SMALL,
  '/api/v1/plugins': SMALL,
  '/api/v1/server': SMALL,
  '/api/v1/session': { ...SMALL, status: 401 },
  '/api/v1/session/methods': SMALL,
  '/api/v1/sessions': LIST,
  '/session/start': { ...SMALL, status: 404 },
  '/session/callback': { ...SMALL, status: 404 },
  '/connections/callback': { ...SMALL, status: 400 },
  '/api/v1/invitations': LIST,
  '/api/v1/tokens': LIST,
  '/api/v1/tokens/{id}': SMALL,
  // Each has up to 128 capabilities of 64 characters.
  '/api/v1/agents': [{ bytes: MiB }, { query: '?limit=200', bytes: 2 * MiB }],
  '/api/v1/agents/connect': { ...SMALL, as: 'agent', status: 426 },
  '/api/v1/agents/activities/{activity}/files/{digest}': { as: 'agent', query: '?epoch={epoch}', streamed: true },
  '/api/v1/agents/activities/{activity}/artifacts': [
    { as: 'agent', query: '?epoch={epoch}', bytes: MiB },
    { as: 'agent', query: '?epoch={epoch}&limit=50' },
  ],
  '/api/v1/agents/activities/{activity}/artifacts/{path}': {
    as: 'agent',
    query: '?epoch={epoch}',
    params: { path: 'file-0' },
    streamed: true,
  },
  // The newest of all keys with this beginning: a project has at most 1,000.
  '/api/v1/agents/activities/{activity}/cache': {
    as: 'agent',
    query: '?epoch={epoch}&key=7&prefix=true',
    walked: 256,
  },
  '/api/v1/agents/activities/{activity}/cache-content': { as: 'agent', query: '?epoch={epoch}&key=7', streamed: true },
  [`${SCOPED}/caches`]: LIST,
  '/api/v1/agents/activities/{activity}/artifact-uploads/{path}': {
    as: 'agent',
    query: `?${upload}&epoch={epoch}`,
    params: { path: 'file-1' },
  },
  '/api/v1/orgs': LIST,
  '/api/v1/orgs/{org}': SMALL,
  '/api/v1/orgs/{org}/audit': LIST,
  '/api/v1/orgs/{org}/invitations': LIST,
  '/api/v1/orgs/{org}/members': LIST,
  '/api/v1/orgs/{org}/members/{user}': SMALL,
  '/api/v1/orgs/{org}/projects': LIST,
  '/api/v1/orgs/{org}/server/settings': SMALL,
  [SCOPED]: SMALL,
  [`${SCOPED}/audit`]: LIST,
  [`${SCOPED}/members`]: LIST,
  [`${SCOPED}/members/{user}`]: { ...SMALL, params: { user: 'viewer1' } },
  [`${SCOPED}/invitations`]: LIST,
  [`${SCOPED}/files/{digest}`]: { query: '?kind=handlers&name=holder', streamed: true },
  [`${SCOPED}/console/extensions`]: SMALL,
  // To show the beginning of an error, it is read: up to 64 Ki characters.
  [`${SCOPED}/insights`]: { bytes: BYTES.list, rows: 8000, walked: 64 },
  [`${SCOPED}/summary`]: { bytes: BYTES.list, walked: 64 },
  // Topics are held against the same bound by themselves: a stream does not end.
  [`${SCOPED}/live`]: { ...SMALL, status: 400 },
  [`${SCOPED}/providers`]: LIST,
  [`${SCOPED}/run-settings`]: SMALL,
  [`${SCOPED}/connectors`]: LIST,
  [`${SCOPED}/connectors/{connector}`]: { ...SMALL, params: { connector: 'team_chat' } },
  [`${SCOPED}/node-types`]: LIST,
  [`${SCOPED}/runs`]: [
    { bytes: 512 * 1024, walked: 64 },
    { ...FULL, walked: 64 },
    // What is large of a run is its output; a page ends where the texts of its runs are long.
    { query: '?status=succeeded', bytes: 512 * 1024, walked: 64 },
    { query: `?subject=${'x'.repeat(250)}&status=succeeded`, bytes: 512 * 1024, walked: 64 },
    { query: `?tag=7:${'t'.repeat(120)}&status=succeeded`, bytes: 512 * 1024, walked: 64 },
    { query: `?output=${'x'.repeat(100)}&status=succeeded`, bytes: 512 * 1024, walked: 64 },
    { query: '?view=view-0', bytes: 512 * 1024, walked: 64 },
    { query: '?step=none&account=none', bytes: 64 * 1024, walked: 64 },
  ],
  // A page of runs is read at a time.
  [`${SCOPED}/run-export`]: { query: '?format=csv&status=failed', streamed: true, bytes: 512 * 1024, walked: 128 },
  [`${SCOPED}/runs/{run}`]: {},
  [`${SCOPED}/runs/{run}/steps`]: [
    { bytes: BYTES.detail },
    { query: '?limit=200', bytes: BYTES.detail },
    // The plan of a graph is one document.
    { params: { run: 'flow' }, bytes: BYTES.detail },
    { query: '?output=true', params: { run: 'flow' }, bytes: BYTES.detail },
  ],
  [`${SCOPED}/runs/{run}/logs`]: [
    { streamed: true, bytes: 3 * MiB },
    { query: '?tail=3', streamed: true, bytes: 3 * MiB },
  ],
  // It looks at each activity of the run for those that are its own.
  [`${SCOPED}/runs/{run}/history`]: { bytes: BYTES.detail, walked: 1000 },
  [`${SCOPED}/runs/{run}/retry`]: SMALL,
  [`${SCOPED}/runs/{run}/document`]: {},
  // Behind the environment of the run.
  [`${SCOPED}/runs/{run}/input`]: { walked: 100 },
  [`${SCOPED}/runs/{run}/chain`]: { bytes: MiB },
  [`${SCOPED}/runs/{run}/signals`]: LIST,
  [`${SCOPED}/runs/{run}/asks`]: LIST,
  // With its answer.
  [`${SCOPED}/runs/{run}/asks/{ask}`]: {},
  // At most 100 waits, each with a form and a message.
  [`${SCOPED}/runs/{run}/questions`]: {},
  // Up to three pages of each list that `svc explain` reads.
  [`${SCOPED}/runs/{run}/explanation`]: { bytes: 12 * MiB, walked: 1000 },
  '/answer/{link}': { ...SMALL, params: { link: 'no-link' }, status: 404 },
  [`${SCOPED}/runs/{run}/artifacts`]: LIST,
  [`${SCOPED}/runs/{run}/artifacts/{path}`]: { params: { path: 'file-0' }, streamed: true },
  [`${SCOPED}/runs/{run}/artifact-uploads/{path}`]: { query: `?${upload}`, params: { path: 'file-1' } },
  [`${SCOPED}/state/{entity}`]: [{ params: { entity: 'entity' } }, { params: { entity: 'entity' }, ...FULL }],
  [`${SCOPED}/state/{entity}/{key}`]: { params: { entity: 'entity', key: 'key' } },
  [`${SCOPED}/locks`]: LIST,
  [`${SCOPED}/applied`]: LIST,
  // Beside its rows it reads the capabilities of the agents that are connected.
  [`${SCOPED}/functions`]: [{ bytes: 2 * MiB }, { query: '?limit=200', bytes: 2 * MiB }],
  [`${SCOPED}/functions/{function}`]: {},
  [`${SCOPED}/events`]: LIST,
  // An event matches no more handlers than a project may have, each with its delivery.
  [`${SCOPED}/events/{event}`]: { bytes: 6 * MiB, rows: 4000, walked: 4000 },
  [`${SCOPED}/events/{event}/chain`]: {},
  [`${SCOPED}/event-replays`]: LIST,
  [`${SCOPED}/event-replays/{replay}`]: {},
  // It reads the run of each letter.
  [`${SCOPED}/dead-letters`]: LIST,
  [`${SCOPED}/event-types`]: LIST,
  // It reads every stored workflow once, and afterwards only those that have changed.
  [`${SCOPED}/reach`]: { query: '?type=run.succeeded', bytes: 64 * MiB, rows: 8000 },
  [`${SCOPED}/event-hooks`]: LIST,
  [`${SCOPED}/event-hooks/{hook}`]: SMALL,
  [`${SCOPED}/event-hooks/{hook}/deliveries`]: LIST,
  [`${SCOPED}/webhooks`]: LIST,
  [`${SCOPED}/webhooks/{webhook}`]: {},
  [`${SCOPED}/webhooks/{webhook}/deliveries`]: LIST,
  [`${SCOPED}/handlers`]: LIST,
  [`${SCOPED}/handlers/{handler}`]: {},
  [`${SCOPED}/schedules`]: LIST,
  [`${SCOPED}/schedules/{schedule}`]: {},
  [`${SCOPED}/schedules/{schedule}/next`]: {},
  [`${SCOPED}/triggers`]: LIST,
  [`${SCOPED}/triggers/{trigger}`]: {},
  [`${SCOPED}/views`]: LIST,
  [`${SCOPED}/views/{view}`]: {},
  [`${SCOPED}/graphs`]: LIST,
  [`${SCOPED}/graphs/{graph}`]: {},
  [`${SCOPED}/graphs/{graph}/versions`]: LIST,
  [`${SCOPED}/graphs/{graph}/requirements`]: {},
  [`${SCOPED}/vars`]: VALUES,
  [`${SCOPED}/vars/{variable}`]: {},
  '/api/v1/orgs/{org}/vars': VALUES,
  '/api/v1/orgs/{org}/vars/{variable}': { params: { variable: 'org_variable' } },
  [`${SCOPED}/secrets`]: LIST,
  [`${SCOPED}/secrets/{secret}`]: SMALL,
  [`${SCOPED}/secret-stores`]: LIST,
  [`${SCOPED}/secret-stores/{secret_store}`]: {},
  [`${SCOPED}/credentials`]: LIST,
  // What each graph needs is looked through.
  [`${SCOPED}/credentials/{credential}/uses`]: { bytes: BYTES.list, walked: 150 },
  [`${SCOPED}/accounts`]: LIST,
  [`${SCOPED}/accounts/{account}`]: {},
  [`${SCOPED}/accounts/{account}/uses`]: { bytes: BYTES.list, walked: 150 },
};
