// Prints what verbs and process starts cost on this machine, each with its lower bound in the same run: `node
// measure.ts`.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpawner } from './spawner.ts';
import { run, testAgent } from './testing/test-agent.ts';
import { verbClient } from './verb-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-measure-'));
const PATH = process.env['PATH'] ?? '';
const env = { PATH };
const rounds = 7;
const row = (name: string, us: number, floor: number) =>
  console.log(`${name.padEnd(44)} ${(us / 1000).toFixed(3).padStart(8)} ms ${(us / floor).toFixed(2).padStart(6)} ×`);
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

/** Measures microseconds per call of commands in one bash, alternating them so that load affects all of them. */
async function inBash(commands: Record<string, { line: string; count: number }>, more: Record<string, string>) {
  const loops = Object.values(commands).map(
    ({ line, count }) =>
      `s=$EPOCHREALTIME; for ((i=0;i<${count};i++)); do ${line} >/dev/null; done; e=$EPOCHREALTIME; echo $(( (\${e/./} - \${s/./}) / ${count} ))`,
  );
  const file = join(folder, 'loop.sh');
  writeFileSync(file, `for ((n=0;n<${rounds};n++)); do\n${loops.join('\n')}\ndone\n`);
  const lines = (await run('bash', [file], { env: more })).stdout.toString().trim().split('\n').map(Number);
  const names = Object.keys(commands);
  return Object.fromEntries(
    names.map((name, at) => [name, median(lines.filter((_, index) => index % names.length === at))]),
  );
}

async function verbs() {
  const clients = [];
  for (const native of [true, false])
    clients.push(
      join(await verbClient(join(folder, `${native}`), { verbs: ['step'], cli: ['/bin/echo'], native }), 'svc'),
    );
  const agent = await testAgent(join(folder, 's'), (message) => {
    if (message['op'] !== 'verb') return { id: 1, exit: message['exit'] };
    if (message['argv'][1] === 'old') return { id: 1, exit: 0, stdout: '', replayed: true };
    return { id: 1, exec: message['argv'].slice(3), key: 'k', limit: 1 << 21 };
  });
  const [native, node] = clients;
  const found = await inBash(
    {
      '/bin/true': { line: '/bin/true', count: 100 },
      'recorded step, native': { line: `${native} step old -- /bin/true`, count: 100 },
      'recorded step, Node': { line: `${node} step old -- /bin/true`, count: 3 },
      'new step, native': { line: `${native} step new -- /bin/true`, count: 100 },
      'new step, Node': { line: `${node} step new -- /bin/true`, count: 3 },
    },
    { SVC_AGENT_SOCKET: agent.path },
  );
  agent.close();
  for (const [name, us] of Object.entries(found)) row(name, us, found['/bin/true']!);
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number> {
  const spans = [];
  for (let index = 0; index < count; index++) {
    const since = process.hrtime.bigint();
    await work();
    spans.push(Number(process.hrtime.bigint() - since) / 1000);
  }
  return median(spans);
}

function direct(): Promise<void> {
  const child = spawn('bash', ['-c', ':'], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.on('close', () => resolve()));
}

async function starts(size: string, count: number) {
  for (const native of [true, false]) {
    const spawner = await openSpawner({ runtime_dir: folder, native });
    const through = () => spawner.spawn({ argv: ['bash', '-c', ':'], env, cwd: '/' }).ended;
    await through();
    const own = await timed(count, direct);
    if (native) row(`bash by child_process, parent of ${size}`, own, own);
    row(`bash by the ${native ? 'native' : 'Node'} spawner, ${size}`, await timed(count, through), own);
    await spawner.close();
  }
}

await verbs();
await starts('60 MB', 100);
const ballast = Buffer.alloc(1 << 30, 1);
await starts('1 GB', 20);
if (ballast.length === 0) throw new Error('unreachable: keeps the memory in use until here');
rmSync(folder, { recursive: true });
