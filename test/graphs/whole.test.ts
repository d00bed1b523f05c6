import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { FarEnd, send } from '../../features/support/far-end.ts';
import { runToEnd, until } from '../../features/support/process.ts';
import { type OwnTarget, startTarget, svcProgram, type Target } from '../../features/support/target.ts';
import { reviewGraph, SECRETS } from './review-graph.ts';

const TITLE = 'Faster replay';
const TEXT = 'It replays faster now';

/** The far ends: a model, a homeserver that knows its transactions, a forge. */
async function farEnds(t: Test) {
  const state = { asked: 0, answerable: false, messages: new Map<string, string>(), statuses: [] as unknown[] };
  const model = await FarEnd.open((_seen, response) => {
    state.asked += 1;
    // The first question is left open: the server dies meanwhile.
    if (state.answerable) answer(response, { choices: [{ message: { role: 'assistant', content: TEXT } }] });
  });
  const rooms = await FarEnd.open(({ method, path, body }, response) => {
    if (method === 'PUT') state.messages.set(path, body);
    answer(response, { event_id: `$${state.messages.size}` });
  });
  const forge = await FarEnd.open(({ path, body, headers }, response) => {
    state.statuses.push({ path, ...(JSON.parse(body) as object) });
    // As a far end does that shows what it was sent: the answer holds the credential.
    answer(response, { id: 1, you_sent: { authorization: headers.authorization } }, 201);
  });
  t.teardown(() => Promise.all([model.close(), rooms.close(), forge.close()]));
  return { state, model, rooms, forge };
}

const answer = (response: Parameters<typeof send>[0], json: unknown, status = 200) =>
  send(response, status, { 'content-type': 'application/json' }, JSON.stringify(json));

/** Every byte that the service has stored. */
async function stored({ env, folder }: OwnTarget): Promise<Buffer> {
  const name = (env.SVC_DATABASE_URL ?? '').replace('sqlite:', '');
  const files = (await readdir(folder)).map((file) => join(folder, file)).filter((file) => file.startsWith(name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
}

class Caller {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  async svc(args: readonly string[], stdin = '') {
    const { base_url, token, org, own } = this.#target;
    const env = { ...own!.env, SVC_URL: base_url, SVC_TOKEN: token, SVC_ORG: org, SVC_PROJECT: 'main' };
    const { exit, stdout, stderr } = await runToEnd(svcProgram, args, { env, cwd: own!.folder, stdin });
    if (exit !== 0) throw new Error(`svc ${args.join(' ')}: ${exit}\n${stdout}${stderr}`);
    return stdout;
  }

  async get(path: string): Promise<string> {
    const { base_url, token, org } = this.#target;
    const url = `${base_url}/api/v1/orgs/${org}/projects/main${path}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
    return (await response?.text()) ?? '';
  }
}

interface Shown {
  run_id: string;
  status: string;
  error?: { message: string };
}

t.test('a delivery runs a published graph to its end while server and agent die once each', async (t) => {
  const target = await startTarget({ env: { SVC_EGRESS_ALLOW: '127.0.0.0/8', SVC_LEASE_MS: '1500' } });
  t.teardown(() => target.close());
  const own = target.own!;
  const caller = new Caller(target);
  const { state, model, rooms, forge } = await farEnds(t);
  const go = join(own.folder, 'go');
  const logs: string[] = [];

  for (const [name, value] of Object.entries(SECRETS))
    await caller.svc(['credential', 'set', name, '--kind', 'bearer', '--token', '-'], value);
  const ends = { llm: model.url('/v1'), chat: rooms.url('').replace(/\/$/, ''), forge: forge.url('/api/v1') };
  const file = join(own.folder, 'review.json');
  await writeFile(file, JSON.stringify(reviewGraph(ends, go)));
  await caller.svc(['graph', 'save', 'review', file]);
  await caller.svc(['graph', 'requirements', 'review']);
  const published = JSON.parse(await caller.svc(['graph', 'publish', 'review', '--json'])) as {
    triggers: { ingest_url: string; secret: string }[];
  };
  const [{ ingest_url, secret } = { ingest_url: '', secret: '' }] = published.triggers;

  const delivery = JSON.stringify({ title: TITLE, repo: 'acme/web', sha: 'a1b2c3' });
  const deliver = (secret: string) =>
    fetch(new URL(new URL(ingest_url).pathname, target.base_url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svc-hook-secret': secret },
      body: delivery,
    });
  t.equal((await deliver(`${secret}x`)).status, 401, 'a delivery of somebody else');
  t.equal((await deliver(secret)).status, 202);

  await until('the question to the model', 30_000, async () => state.asked > 0 || undefined);
  state.answerable = true;
  logs.push(own.server.log);
  await own.server.kill('SIGKILL');
  own.server = (await own.startServer()).service;

  const run = await until('the program of the agent', 60_000, async () => {
    const { runs = [] } = JSON.parse((await caller.get('/runs')) || '{}') as { runs?: Shown[] };
    const [found] = runs;
    const log = found && (await caller.get(`/runs/${found.run_id}/logs`));
    return log?.includes('counting with') ? found : undefined;
  });
  for (const agent of own.agents.splice(0)) {
    logs.push(agent.log);
    await agent.kill('SIGKILL');
  }
  await writeFile(go, '');
  await own.startAgent('second');

  const end = await until('the end of the run', 60_000, async () => {
    const shown = JSON.parse((await caller.get(`/runs/${run.run_id}`)) || '{}') as Shown;
    return ['succeeded', 'failed', 'cancelled'].includes(shown.status) ? shown : undefined;
  });
  t.equal(end.status, 'succeeded', String(end.error?.message));
  t.equal((JSON.parse(await caller.get('/runs')) as { runs: Shown[] }).runs.length, 1, 'one delivery, one run');
  t.ok(state.asked >= 2, 'the question was asked again');
  t.equal(state.messages.size, 1, 'one message, however often it was sent');
  t.match(JSON.parse([...state.messages.values()][0]!), {
    body: `**${TITLE}**: ${TEXT}`,
    formatted_body: `<strong>${TITLE}</strong>: ${TEXT}`,
  });
  t.match(state.statuses.at(-1), {
    path: '/api/v1/repos/acme/web/statuses/a1b2c3',
    state: 'success',
    context: 'review',
    description: 'said in $1',
  });
  for (const { seen, name, key } of [
    { seen: model.seen, name: 'llm-key', key: `${run.run_id}~ask` },
    { seen: rooms.seen, name: 'chat-token', key: `${run.run_id}~say` },
    { seen: forge.seen, name: 'forge-token', key: `${run.run_id}~status` },
  ]) {
    t.ok(
      seen.every(({ headers: { authorization } }) => authorization === `Bearer ${SECRETS[name]}`),
      `every request had ${name}`,
    );
    // Where the path has no key, the header has one.
    const keys = seen.map(({ path, headers }) => headers['idempotency-key'] ?? path.split('/').at(-1));
    t.same([...new Set(keys)], [key], 'whoever asked, and however often');
  }

  const views = ['', '/steps', '/logs'].map((view) => caller.get(`/runs/${run.run_id}${view}`));
  const lists = ['/runs', '/events', '/graphs', '/graphs/review', '/handlers', '/event-hooks'].map((path) =>
    caller.get(path),
  );
  logs.push(own.server.log, ...own.agents.map(({ log }) => log), ...(await Promise.all([...views, ...lists])));
  t.match(logs.join(''), 'counting with ***', 'what is searched holds the run, which showed a credential');
  t.match(JSON.parse(await views[0]!), { output: { body: { you_sent: { authorization: 'Bearer ***' } } } });
  const bytes = await stored(own);
  t.ok(bytes.length > 100_000, 'what is searched holds the database');
  for (const [name, value] of Object.entries(SECRETS)) {
    t.notOk(logs.join('').includes(value), `no view and no log shows ${name}`);
    t.notOk(bytes.includes(value), `the database does not hold ${name}`);
    t.notOk(bytes.includes(Buffer.from(value).toString('base64').slice(0, -4)), `nor its base64`);
  }
});
