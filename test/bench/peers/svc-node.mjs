// Runs without a process, for the harness of the peers: `svc dev`, whose runs are nodes and graphs instead of scripts.
// A node has no code that could tell the harness how far it is, so every figure ends at something that comes later:
// the answer that is given only when the run is over and durable, or a request that the node itself sends to the harness.
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';

const PEERS = process.env.PEERS ?? resolve(import.meta.dirname, '..');
const { SVC_CLONE, SLOTS = '64' } = process.env;
if (SVC_CLONE === undefined) throw new Error('SVC_CLONE must name an installed clone of the project');
const { httpReq, now, sleep, start, stop, until } = await import(join(PEERS, 'harness/lib/util.mjs'));
const { bench } = await import(join(PEERS, 'harness/lib/runner.mjs'));

const PORT = 28797;
const EAR = 28798;
const BASE = '/api/v1/orgs/dev/projects/main';
const folder = join(PEERS, 'data/svc-node');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** Requests of `http` nodes, by path. */
const awaited = new Map();
const heard = (path) => new Promise((tell) => awaited.set(path, tell));
const ear = createServer((request, response) => {
  awaited.get(request.url)?.(now());
  awaited.delete(request.url);
  response.end('{}');
}).listen(EAR, '127.0.0.1');
await once(ear, 'listening');

const began = now();
const env = { ...process.env, SVC_PORT: String(PORT), SVC_RATE_LIMIT: 'off', SVC_AGENT_SLOTS: SLOTS };
const server = start(join(SVC_CLONE, 'cli/svc'), ['dev'], { cwd: folder, log: join(PEERS, 'data/svc-node.log'), env });
const { token } = await until(() => JSON.parse(readFileSync(join(folder, '.svc/profile.json'), 'utf8')));
const headers = { authorization: `Bearer ${token}` };
const ask = (method, path, body) => httpReq(method, PORT, BASE + path, body, headers);
await until(() => ask('GET', '/runs?limit=1'));
const startMs = now() - began;

const set = (values) => ({ type: 'set', config: { values } });
const call = (path) => ({ type: 'http', config: { url: { $expr: `"http://127.0.0.1:${EAR}/" + ${path}` } } });
const graph = (nodes) => ({
  version: 'svc-graph/v1',
  nodes,
  edges: nodes.slice(1).map(({ id }, n) => ({ from: nodes[n].id, to: id })),
});

/** So many nodes, each of which reads the output of the one before it. */
const inARow = (count) =>
  graph(
    Array.from({ length: count }, (_, n) => ({
      id: `n${n}`,
      ...set({ n: { $expr: n === 0 ? '1' : `nodes.n${n - 1}.output.n + 1` } }),
    })),
  );

const wait = { id: 'wait', type: 'wait_signal', config: { name: 'go' } };
await ask('PUT', '/graphs/row', inARow(100));
await ask('PUT', '/graphs/resumed', graph([wait, { id: 'after', ...set({ $expr: 'nodes.wait.output' }) }]));
await ask('PUT', '/graphs/resumed-call', graph([wait, { id: 'after', ...call('nodes.wait.output') }]));
const { type: node, config } = set({ n: { $expr: 'input.payload' } });
await ask('PUT', '/handlers/told', { on: ['bench.told'], node, config });
await ask('PUT', '/handlers/called', { on: ['bench.called'], node: 'http', config: call('input.payload').config });

/** Submits and answers the run that is over; refuses any other. */
async function toEnd(body) {
  const run = await ask('POST', '/runs?wait=30s', body);
  if (run.status !== 'succeeded') throw new Error(`${run.run_id} has ${run.status}: ${JSON.stringify(run.error)}`);
  return run;
}

let number = 0;

/** ms from an event to the answer, at which the run that it started must be over. */
async function event() {
  const payload = ++number;
  const since = now();
  await ask('POST', '/events', { type: 'bench.told', payload });
  const spent = now() - since;
  const [last] = (await ask('GET', '/runs?limit=1')).runs;
  if (last.status !== 'succeeded' || last.trigger.type !== 'bench.told')
    throw new Error(`no run: ${JSON.stringify(last)}`);
  const { output } = await ask('GET', `/runs/${last.run_id}`);
  if (output.n !== payload) throw new Error(`the run of another event: ${JSON.stringify(output)}`);
  return spent;
}

/** ms from an event to the request of the node that it starts. */
async function eventToCall() {
  const path = `e${++number}`;
  const arrived = heard(`/${path}`);
  const since = now();
  await ask('POST', '/events', { type: 'bench.called', payload: path });
  return (await arrived) - since;
}

/** A run of the graph that waits for its signal. */
async function waiting(name) {
  const { run_id } = await ask('POST', '/runs', { graph: name });
  await until(async () => (await ask('GET', `/runs/${run_id}`)).status === 'waiting', 10_000, 5);
  return run_id;
}

/** ms from a signal until a caller that waits for the run has the output of the node after the wait. */
async function signal() {
  const run_id = await waiting('resumed');
  const over = ask('GET', `/runs/${run_id}?wait=30s`).then((run) => ({ run, at: now() }));
  await sleep(20);
  const payload = ++number;
  const since = now();
  await ask('POST', `/runs/${run_id}/signals/go`, payload);
  const { run, at } = await over;
  if (run.output !== payload) throw new Error(`${run_id} has ${run.status}: ${JSON.stringify(run)}`);
  return at - since;
}

/** ms from a signal to the request of the node after the wait. */
async function signalToCall() {
  const run_id = await waiting('resumed-call');
  const path = `s${++number}`;
  const arrived = heard(`/${path}`);
  await sleep(20);
  const since = now();
  await ask('POST', `/runs/${run_id}/signals/go`, JSON.stringify(path));
  return (await arrived) - since;
}

try {
  await bench({
    name: 'svc dev, nodes',
    version: JSON.parse(readFileSync(join(SVC_CLONE, 'package.json'), 'utf8')).version,
    storage: 'node:sqlite WAL synchronous=FULL',
    note: 'no process: one = a node, step = a node of a graph',
    startMs,
    dataDir: folder,
    pids: () => [server.pid],
    one: (n) => toEnd({ ...{ node, config }, input: { payload: n } }),
    async steps(count) {
      const { output } = await toEnd(count === 100 ? { graph: 'row' } : { source: JSON.stringify(inARow(count)) });
      if (output.n !== count) throw new Error(`${output.n} nodes instead of ${count}`);
    },
    event,
    signal,
    extra: { eventToCall, signalToCall },
  });
} finally {
  ear.close();
  await stop(server);
  process.exit();
}
