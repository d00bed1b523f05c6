import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { idempotencyKey } from '../../replay/contract.ts';
import { openBench } from '../executor/testing/host.ts';
import { Activity, systemClock } from '../../../../test/kit/index.ts';
import { needs } from '../../../../test/kit/needs.ts';

const ids = { next: (prefix: string) => `${prefix}_1`, bytes: (count: number) => randomBytes(count) };
const here = fileURLToPath(new URL('.', import.meta.url));
const run = promisify(execFile);

/** Counts the steps that are begun without an answer; `OLD` makes the SDK speak protocol 2. */
const JAVASCRIPT = `
import { Socket } from 'node:net';
import { appendFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
let ahead = 0;
let asked = 0;
const LATE = __LATE__;
let late = 0;
const { write } = Socket.prototype;
const { now } = performance;
performance.now = () => now.call(performance) + late;
Socket.prototype.write = function (data, ...rest) {
  const line = String(data);
  if (line.includes('"op":"begin"') && line.includes('"key"')) ahead += 1;
  if (line.includes('"op":"begun"')) asked += 1;
  const sent = write.call(this, __OLD__ ? line.replace('"protocol":4', '"protocol":2') : data, ...rest);
  // As if this process had been suspended for a while.
  if (LATE && line.includes('"key"')) late += 1000;
  return sent;
};
const { step, exec, sleep, state, lock, output } = await import('svc/sdk');
// As a program does that has timers of its own.
globalThis.setImmediate = () => undefined;
const ran = (name) => (appendFileSync('__FILE__', name + '\\n'), name);
for (let n = 0; n < 5; n += 1) await step('twin', () => ran('twin' + n));
execFileSync('svc', ['step', 'twin', '--', 'true'], { env: process.env });
await step('twin', ({ site }) => ran(site));
await exec('twin', ['true']);
await step('twin', ({ site }) => ran(site), { label: 'Ein Ü' });
for (const name of ['über alles 😀', '__proto__', 'a#b', 'x'.repeat(200)]) await step(name, () => ran('odd'));
for (const name of ['a#1', 'a\\u2028b#1', 'x'.repeat(201), 'a\\nb', '\\ud800'])
  await step(name, () => ran('never')).catch((error) => console.log(error.code, error.message.slice(0, 60)));
await step('fails', () => { throw new RangeError('no'); }).catch((error) => console.log(error.message));
await step('inner', async () => {
  await step('deep', () => ran('never')).catch((error) => console.log(error.code));
  return ran('inner');
});
await state.set('k', 'v');
await lock('group', () => ran('locked'));
console.log((await Promise.all(['p', 'q', 'p'].map((name, n) => step(name, async () => ran(name + n))))).join());
// Chains that are at it together, with more or less to do between their calls: the order of calls must not depend on
// which answers come together.
const chain = async (name, between) => {
  for (let n = 0; n < 6; n += 1) {
    if (n % 3 === 2) await output.set({ [name]: n });
    else if (n % 3 === 1) await step(name + '#1', () => ran('never')).catch(() => undefined);
    else await step(name + n, () => ran(name + n));
    for (let wait = 0; wait < between; wait += 1) await undefined;
  }
};
await Promise.all([chain('A', 40), chain('B', 0), chain('C', 5), chain('D', 90)]);
await sleep('1h');
await step('twin', ({ site }) => ran(site));
await Promise.all([step('last', () => ran('last')), step('last', () => ran('last')), state.set('k', 'w'), sleep('1h')]);
for (const name of ['end', 'end']) await step(name, () => ran(name));
await output.set({ ahead, asked });
`;

const PYTHON = `
import subprocess
import svc_sdk as svc
from svc_sdk import _sync, _wire, _ahead
LATE = __LATE__
if __OLD__:
    _sync.HELLO = _sync.HELLO.replace(b'"protocol":4', b'"protocol":2')
ahead, asked, late = 0, 0, 0.0
real, request, begun = _ahead.monotonic, _wire.Wire.request, _wire.Wire.begun

def sent(self, body):
    global ahead, late
    data = request(self, body)
    if "key" in body:
        ahead += 1
        late += 1.0 if LATE else 0.0
    return data

def ask(self):
    global asked
    asked += 1
    return begun(self)

_wire.Wire.request, _wire.Wire.begun = sent, ask
_ahead.monotonic = _wire.monotonic = lambda: real() + late

def ran(name):
    with open("__FILE__", "a") as file:
        file.write(name + "\\n")
    return name

def attempt(name, work):
    try:
        svc.step(name, work)
    except svc.SvcError as error:
        print(error.code, str(error)[:60])

def fail():
    raise ValueError("no")

for n in range(5):
    svc.step("twin", lambda: ran("twin%d" % n))
subprocess.run(["svc", "step", "twin", "--", "true"], check=True)
svc.step("twin", lambda: ran("twin#6"))
svc.exec("twin", ["true"])
svc.step("twin", lambda: ran("twin#8"), label="Ein Ü")
for name in ["über alles 😀", "__proto__", "a#b", "x" * 200]:
    svc.step(name, lambda: ran("odd"))
for name in ["a#1", "a\\u2028b#1", "x" * 201, "a\\nb", "\\ud800"]:
    attempt(name, lambda: ran("never"))
attempt("fails", fail)
svc.step("inner", lambda: attempt("deep", lambda: ran("never")) or ran("inner"))
svc.state.set("k", "v")
svc.lock("group", lambda: ran("locked"))
svc.sleep(3600)
svc.step("twin", lambda: ran("twin#9"))
svc.step("last", lambda: ran("last"))
svc.output.set(ahead=ahead, asked=asked)
`;

const with_python = needs('python3');

const LANGUAGES = [
  { filename: 'job.mjs', program: JAVASCRIPT, yes: 'true', no: 'false', interpreter: 'node' },
  { filename: 'job.py', program: PYTHON, yes: 'True', no: 'False', interpreter: 'python3' },
];

for (const { filename, program, yes, no, interpreter } of LANGUAGES)
  t.test(
    `${filename}: the journal is that of an SDK that asks before each step`,
    interpreter === 'python3' ? with_python : {},
    async (t) => {
      const bench = await openBench({ clock: systemClock, ids });
      t.teardown(() => bench.close());
      const told = async (how: { old?: boolean; late?: boolean }) => {
        const activity = new Activity();
        const file = join(t.testdir(), 'ran');
        const source = program
          .replaceAll('__FILE__', file)
          .replaceAll('__OLD__', how.old ? yes : no)
          .replaceAll('__LATE__', how.late ? yes : no);
        // Named, it is started anew: a prepared one has taken its clock before.
        const named = how.late ? { interpreter } : {};
        const end = await bench.finish(activity, { filename, source, ...named });
        t.match(end, { completion: { status: 'succeeded' } }, activity.text('stderr'));
        const counts = (end as unknown as { completion: { output: { ahead: number; asked: number } } }).completion
          .output;
        const journal = activity.journal.map((record) => ({ ...record, started_at: 0 }));
        return { counts, journal, log: activity.text(), ran: readFileSync(file, 'utf8') };
      };
      const old = await told({ old: true });
      t.match(old.counts, { ahead: 0, asked: 0 });
      t.ok(old.journal.length > 20);
      t.notMatch(old.ran, /never/);
      const late = await told({ late: true });
      t.equal(late.counts.ahead, late.counts.asked);
      for (const present of [await told({}), late]) {
        t.ok(present.counts.ahead > 0);
        t.same(present.journal, old.journal);
        t.equal(present.log, old.log);
        t.equal(present.ran, old.ran, 'each function ran once, in the same order');
      }
    },
  );

type Line = { id: number; op: string; name: string; key?: string };

/** Stands in for an agent that lends places, and answers `last` to what is begun under the lease. */
async function lender(t: Test, last: (line: Line) => object) {
  // The path of a socket must be short.
  const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 's');
  const heard: string[] = [];
  const ahead = { run: 'r', activity: 'a', limit: 100 };
  const keys = (ordinal: number) => idempotencyKey({ run_id: 'r', job: 'a' }, { kind: 'step', name: 'x', ordinal });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const lines = createInterface(socket);
    lines.on('error', () => undefined);
    lines.on('line', (text) => {
      const line = JSON.parse(text) as Line;
      heard.push(line.key === undefined ? line.op : `${line.op} ahead`);
      const answer =
        line.op === 'hello'
          ? { ok: true, protocol: 3, ahead }
          : line.key !== undefined
            ? last(line)
            : line.op === 'begin'
              ? { run: true, key: keys(0), site: 'x#0', limit: 100 }
              : { record: { exit_code: 0, output: '', ordinal: 0 }, replayed: false, ahead: { ms: 3_600_000 } };
      socket.write(`${JSON.stringify({ id: line.id, ...answer })}\n`);
    });
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  t.teardown(() => new Promise((closed) => server.close(closed)));
  return { heard, env: { ...process.env, SVC_AGENT_SOCKET: path, PYTHONPATH: here } };
}

const PROGRAMS = [
  [
    process.execPath,
    '--input-type=module',
    '-e',
    `import { step } from '${join(here, 'sdk.mjs')}';
     await step('x', () => 1);
     const slow = () => new Promise((done) => setTimeout(done, 50));
     await step('x', slow).then((value) => console.log('taken', value), (error) => console.log(error.code));
     process.exit(0);`,
  ],
  [
    'python3',
    '-c',
    `import time, svc_sdk as svc
svc.step("x", lambda: 1)
try:
    print("taken", svc.step("x", lambda: time.sleep(0.05)))
except svc.SvcError as error:
    print(error.code)`,
  ],
];

const REFUSALS: [string, (line: Line) => object, string][] = [
  ['an error', () => ({ error: { code: 'no_such_place', message: 'no', next: '' } }), 'no_such_place'],
  ['a record', () => ({ record: { exit_code: 0, output: '' }, replayed: true }), 'agent_answer_invalid'],
  ['another key', () => ({ run: true, key: 'f'.repeat(64), site: 'x#7' }), 'agent_answer_invalid'],
];

for (const [program = '', ...args] of PROGRAMS)
  for (const [what, last, code] of REFUSALS)
    t.test(
      `${program.split('/').at(-1)}: a step under way that is answered by ${what} is not taken as recorded`,
      program === 'python3' ? with_python : {},
      async (t) => {
        const { heard, env } = await lender(t, last);
        const { stdout } = await run(program, args, { env });
        t.equal(stdout, `${code}\n`);
        t.same(heard.slice(0, 4), ['hello', 'begin', 'end', 'begin ahead']);
      },
    );
