// Runs that are functions of a worker, for the harness of the peers. Its workflows report to the harness over a socket of their
// own, from their lines, as the peers' workflows do in their process. MODE=dev serves them in `svc dev` (two processes),
// MODE=worker by `svc worker` beside a server (three processes).
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

const PEERS = process.env.PEERS ?? resolve(import.meta.dirname, '..');
const { SVC_CLONE, SLOTS = '100', MODE = 'worker', WAITING = '10000' } = process.env;
if (SVC_CLONE === undefined) throw new Error('SVC_CLONE must name an installed clone of the project');
const { children, httpReq, now, r, report, sleep, start, stop, until } = await import(
  join(PEERS, 'harness/lib/util.mjs')
);
const { bench } = await import(join(PEERS, 'harness/lib/runner.mjs'));

const PORT = Number(process.env.PORT ?? 28795);
const EAR = PORT + 1;
const BASE = '/api/v1/orgs/dev/projects/main';
const folder = join(PEERS, `data/svc-worker-${PORT}`);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** Reports of workflows, by their name. */
const awaited = new Map();
const heard = (name) => new Promise((tell) => awaited.set(name, tell));
const ear = createServer((socket) => {
  let text = '';
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const lines = `${text}${chunk}`.split('\n');
    text = lines.pop();
    for (const line of lines) {
      awaited.get(line)?.(now());
      awaited.delete(line);
    }
  });
}).listen(EAR, '127.0.0.1');
await once(ear, 'listening');

/** What a user of a worker writes; the bodies of the steps do nothing. */
writeFileSync(
  join(folder, 'flows.mjs'),
  `import { connect } from 'node:net';
import { step, waitSignal, workflow } from 'svc/sdk';

const ear = connect(${EAR}, '127.0.0.1').setNoDelay();
const tell = (name) => ear.write(name + '\\n');

workflow('one', async ({ n }) => {
  await step('s', () => n);
  tell('o' + n);
});
workflow('empty', async () => undefined);
workflow('row', async ({ n, count }) => {
  tell('b' + n);
  for (let i = 0; i < count; i++) await step('s' + i, () => i);
  tell('d' + n);
});
workflow('resumed', async ({ n }) => {
  await waitSignal('go');
  tell('s' + n);
});
workflow('told', async ({ n }) => {
  tell('e' + n);
});
`,
);

const began = now();
const env = { ...process.env, SVC_PORT: String(PORT), SVC_RATE_LIMIT: 'off', SVC_AGENT_SLOTS: SLOTS };
const svc = join(SVC_CLONE, 'cli/svc');
const log = join(PEERS, `data/svc-worker-${PORT}.log`);
const served = MODE === 'dev' ? ['--worker', 'flows.mjs'] : ['--no-agent'];
const server = start(svc, ['dev', ...served], { cwd: folder, log, env });
let worker;
// A preparation that fails leaves no server behind.
process.on('exit', () => {
  for (const child of [worker, server]) child?.kill();
});
const { token } = await until(() => JSON.parse(readFileSync(join(folder, '.svc/profile.json'), 'utf8')));
const headers = { authorization: `Bearer ${token}` };
const ask = (method, path, body) => httpReq(method, PORT, BASE + path, body, headers);
await until(() => ask('GET', '/runs?limit=1'));
if (MODE !== 'dev') {
  const agent = await httpReq('POST', PORT, '/api/v1/tokens', { name: 'bench', kind: 'agent' }, headers);
  writeFileSync(join(folder, 'agent.token'), agent.token);
  const args = ['worker', 'flows.mjs', '--slots', SLOTS, '--token-file', 'agent.token'];
  const url = { SVC_URL: `http://127.0.0.1:${PORT}` };
  worker = start(svc, args, { cwd: folder, log, env: { ...env, ...url } });
}
await until(async () => (await ask('GET', '/functions')).functions.length > 0);
await ask('PUT', '/handlers/told', {
  on: ['bench.told'],
  source: JSON.stringify({ version: 'svc-function/v1', name: 'told' }),
});
const startMs = now() - began;

let number = 0;
const submit = (name, input) => ask('POST', '/runs', { function: name, input });

/** Resolves when the workflow, which has the number, has reported its last line. */
async function toLastLine(name, mark, input = {}) {
  const n = ++number;
  const last = heard(`${mark}${n}`);
  await submit(name, { n, ...input });
  return await last;
}

/** ms from an event to the first line of the function that it starts. */
async function event() {
  const n = ++number;
  const first = heard(`e${n}`);
  const since = now();
  await ask('POST', '/events', { type: 'bench.told', payload: { n } });
  return (await first) - since;
}

/** Starts a run that waits for its signal. */
async function waiting() {
  const n = ++number;
  const { run_id } = await submit('resumed', { n });
  await until(async () => (await ask('GET', `/runs/${run_id}`)).status === 'waiting', 60_000, 5);
  return { n, run_id };
}

/** ms from a signal to the line after the wait; the run has waited for `pause_ms`. */
async function signal(pause_ms = 100) {
  const { n, run_id } = await waiting();
  await sleep(pause_ms);
  const after = heard(`s${n}`);
  const since = now();
  await ask('POST', `/runs/${run_id}/signals/go`, null);
  return (await after) - since;
}

/** ms a step from the first line of a run of a hundred steps, without its start. */
async function insideStep100() {
  const n = ++number;
  const [first, last] = [heard(`b${n}`), heard(`d${n}`)];
  await submit('row', { n, count: 100 });
  const since = await first;
  return ((await last) - since) / 100;
}

/** ms from the submit of a workflow that does nothing to the answer at its end. */
async function emptyToEnd() {
  const since = now();
  const run = await ask('POST', '/runs?wait=30s', { function: 'empty' });
  if (run.status !== 'succeeded') throw new Error(`${run.run_id} has ${run.status}: ${JSON.stringify(run.error)}`);
  return now() - since;
}

/** MiB of the processes of the worker: with `svc dev`, of the program and of the server with its agent. */
function memory() {
  const [main, ...programs] = children((worker ?? server).pid);
  const own = (pid) => Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;
  return {
    agent: r(own(main), 1),
    program: r(
      programs.reduce((sum, pid) => sum + own(pid), 0),
      1,
    ),
  };
}

/** The memory of a worker before ten thousand runs wait in it, and while they do. */
async function waitingMemory() {
  const before = memory();
  const runs = [];
  let left = Number(WAITING);
  const one = async () => {
    while (left-- > 0) runs.push(await waiting());
  };
  await Promise.all(Array.from({ length: 32 }, one));
  await sleep(5000);
  report(`waiting svc ${MODE}`, { waiting: runs.length, before, with: memory() });
}

try {
  await bench({
    name: `svc ${MODE}, functions`,
    version: JSON.parse(readFileSync(join(SVC_CLONE, 'package.json'), 'utf8')).version,
    storage: 'node:sqlite WAL synchronous=FULL',
    note: MODE === 'dev' ? 'svc dev --worker' : 'svc dev --no-agent and svc worker',
    startMs,
    dataDir: folder,
    pids: () => [server.pid, ...(worker === undefined ? [] : [worker.pid])],
    one: () => toLastLine('one', 'o'),
    steps: (count) => toLastLine('row', 'd', { count }),
    event,
    signal,
    extra: { insideStep100, emptyToEnd },
  });
  if (!(process.env.SKIP ?? '').split(',').includes('waiting')) await waitingMemory();
} finally {
  ear.close();
  await stop(worker);
  await stop(server);
  process.exit();
}
