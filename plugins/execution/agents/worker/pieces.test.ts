import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { LogChunk } from '../../../engine/runs/contract.ts';
import { ids, keepingLog } from '../testing/doubles.ts';
import { Backoff } from './backoff.ts';
import { LogQueue } from './log-queue.ts';
import { makeRuntimeDir, findMemoryFolder, removeRuntimeDir, sweepRuntimeDirs } from '../contract.ts';
import { readChannelTarget, readWorkerSettings } from './settings.ts';
import { systemClock as clock, until } from '../../../../test/kit/index.ts';

t.test('settings: defaults, values, and every mistake named', async (t) => {
  const read = (env: Record<string, string>, role: 'agent' | 'dev' = 'agent') => readWorkerSettings({ env, role });
  t.match(read({}), { extra_capabilities: [], drain_grace_ms: 10_000, workdir: process.cwd() });
  t.equal(read({}, 'dev').drain_grace_ms, 0);
  t.equal(read({}).slots % 4, 0);
  t.match(read({ SVC_AGENT_CAPS: 'gpu, big gpu', SVC_AGENT_SLOTS: '3', SVC_AGENT_NAME: 'n', SVC_DRAIN_GRACE: '5s' }), {
    extra_capabilities: ['gpu', 'big'],
    slots: 3,
    name: 'n',
    drain_grace_ms: 5000,
  });
  for (const [name, wrong] of [
    ['SVC_AGENT_SLOTS', '0'],
    ['SVC_AGENT_SLOTS', '1e3'],
    ['SVC_AGENT_SLOTS', '99999'],
    ['SVC_AGENT_CAPS', 'ok,bad\u0007cap'],
    ['SVC_AGENT_NAME', 'a\nb'],
    ['SVC_AGENT_NAME', 'x'.repeat(129)],
    ['SVC_AGENT_WORKDIR', '/no/such/folder'],
    ['SVC_AGENT_SHOW', '/usr:opt'],
    ['SVC_AGENT_SHOW', '/no/such/folder'],
    ['SVC_AGENT_SHOW', '/'],
    ['SVC_AGENT_UNTRUSTED', 'never'],
    ['SVC_AGENT_ISOLATE', 'none'],
    ['SVC_AGENT_CAPS', 'svc:isolates'],
    ['SVC_DRAIN_GRACE', 'soon'],
    ['SVC_DRAIN_GRACE', '1h'],
  ] as const)
    t.throws(() => read({ [name]: wrong }), { code: 'agent_setting_invalid', message: new RegExp(name) });
});

t.test('where to connect: http, https, a path, a Unix socket; never a token in a message', async (t) => {
  const read = (env: Record<string, string>) => readChannelTarget({ env, host: '127.0.0.1', port: 8787 });
  const token = { SVC_TOKEN: 'svc_agt_x' };
  t.equal(read(token).url, 'ws://127.0.0.1:8787/api/v1/agents/connect');
  t.equal(
    read({ ...token, SVC_URL: 'https://svc.example.org/base/' }).url,
    'wss://svc.example.org/base/api/v1/agents/connect',
  );
  t.equal(read({ ...token, SVC_URL: 'unix:/run/svc.sock' }).url, 'ws+unix:/run/svc.sock:/api/v1/agents/connect');
  t.throws(() => read({ SVC_URL: 'http://x' }), { code: 'agent_token_missing' });
  for (const SVC_URL of ['ftp://x', 'nonsense', 'https://u:secret@x', 'https://x/?token=secret']) {
    t.throws(() => read({ ...token, SVC_URL }), { code: 'agent_setting_invalid', message: /SVC_URL/ });
    t.throws(() => read({ ...token, SVC_URL }), { message: /^(?!.*secret)/ });
  }
  t.throws(() => read({ SVC_TOKEN: 'a b\nc' }), { code: 'agent_setting_invalid', message: /^(?!.*a b)/ });
});

t.test('pauses grow to their bound and never fall under the first', async (t) => {
  const backoff = new Backoff({ min_ms: 100, max_ms: 5000 }, ids);
  const pauses = Array.from({ length: 12 }, () => backoff.next());
  t.ok(pauses.every((pause) => pause >= 100 && pause <= 5000));
  t.ok(pauses[3]! > pauses[0]! && pauses[11]! >= 2500);
  backoff.reset();
  t.equal(backoff.next(), 100);
});

t.test('the folder of an agent: private, short, and swept when its agent is dead', async (t) => {
  const tmp = mkdtempSync(join(tmpdir(), 'sweep-'));
  t.teardown(() => rm(tmp, { recursive: true }));
  const mine = await makeRuntimeDir(tmp);
  t.equal(statSync(mine).mode & 0o777, 0o700);
  t.ok(mine.length <= 64);
  const dead = join(tmp, 'svc-agent-dead00');
  mkdirSync(join(dead, 'pass'), { recursive: true });
  const child = spawn('true');
  await new Promise((resolve) => child.once('exit', resolve));
  writeFileSync(join(dead, 'owner'), `${child.pid} 12345`);
  const recycled = join(tmp, 'svc-agent-pid000');
  mkdirSync(recycled);
  writeFileSync(join(recycled, 'owner'), `${process.pid} 12345`);
  const young = join(tmp, 'svc-agent-young0');
  mkdirSync(young);
  const old = join(tmp, 'svc-agent-old000');
  mkdirSync(old);
  utimesSync(old, 1, 1);
  const outside = join(tmp, 'outside');
  mkdirSync(outside);
  symlinkSync(outside, join(tmp, 'svc-agent-link00'));
  symlinkSync(outside, join(dead, 'link'));
  await sweepRuntimeDirs(tmp, clock, keepingLog());
  t.same([mine, young, outside].map(existsSync), [true, true, true]);
  t.same([dead, recycled, old].map(existsSync), [false, false, false]);
  await removeRuntimeDir(mine);
  t.notOk(existsSync(mine));
  const deep = join(tmp, 'd'.repeat(80));
  mkdirSync(deep);
  const short = await makeRuntimeDir(deep);
  t.ok(short.length <= 64, 'a long TMPDIR is not used');
  await removeRuntimeDir(short);
});

t.test('small files lie on memory where there is a folder with room that is ours', async (t) => {
  // The folder of the tests may itself be in memory.
  const disk = mkdtempSync('/var/tmp/agents-');
  t.teardown(() => rm(disk, { recursive: true }));
  const shared = (await findMemoryFolder({})) ?? 'none';
  t.equal(shared, existsSync('/dev/shm') ? '/dev/shm' : 'none', 'of Linux, without a setting');
  t.equal((await findMemoryFolder({ XDG_RUNTIME_DIR: disk })) ?? 'none', shared, 'not on a disk');
  t.equal((await findMemoryFolder({ XDG_RUNTIME_DIR: join(disk, 'none') })) ?? 'none', shared);
  if (shared === 'none') return;
  t.equal(await findMemoryFolder({ SVC_AGENT_MEMORY: 'off' }), undefined);
  const own = mkdtempSync(join(shared, 'svc-xdg-'));
  t.teardown(() => rm(own, { recursive: true }));
  t.equal(await findMemoryFolder({ XDG_RUNTIME_DIR: own }), own, "the user's own comes first");
  const deep = join(own, 'd'.repeat(80));
  mkdirSync(deep);
  t.equal(await findMemoryFolder({ XDG_RUNTIME_DIR: deep }), shared, 'a path too long for a socket is not used');
});

t.test(
  'the log: batches in order, one in flight; asks its reader to pause; drops what comes beyond and says so',
  async (t) => {
    const sent: LogChunk[][] = [];
    let answer = Promise.withResolvers<void>();
    const queue = new LogQueue({
      clock,
      send: (chunks) => {
        sent.push(chunks);
        return answer.promise;
      },
    });
    queue.add('stdout', Buffer.from('a'));
    queue.add('stdout', Buffer.from('b'));
    queue.add('stderr', Buffer.from('c'));
    await until(() => sent.length === 1);
    t.match(sent[0], [
      { n: 0, stream: 'stdout', data: 'YWI=' },
      { n: 1, stream: 'stderr', data: 'Yw==' },
    ]);
    t.equal(queue.whenDrained(), undefined);
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let n = 0; n < 16; n += 1) queue.add('stdout', block);
    t.ok(queue.whenDrained(), 'a full queue says so');
    t.equal(sent.length, 1, 'one batch in flight');
    for (let n = 0; n < 200; n += 1) queue.add('stdout', block);
    const flushed = queue.flush();
    const room = queue.whenDrained()!;
    answer.resolve();
    answer = Promise.withResolvers<void>();
    answer.resolve();
    await Promise.all([flushed, room]);
    t.equal(queue.whenDrained(), undefined);
    const chunks = sent.flat();
    t.same(
      chunks.map(({ n }) => n),
      chunks.map((_, at) => at),
      'numbered without gaps',
    );
    const bytes = chunks
      .filter(({ stream }) => stream !== 'system')
      .reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0);
    const notes = chunks
      .filter(({ stream }) => stream === 'system')
      .map(({ data }) => Buffer.from(data, 'base64').toString());
    t.match(notes.join(''), new RegExp(`${216 * 65_536 + 3 - bytes} bytes of output`));
    t.ok(
      sent.every((batch) => batch.reduce((sum, { data }) => sum + data.length, 0) < 2 * 1024 * 1024),
      'sends stay small',
    );
    const placed: LogChunk[] = [];
    const at = new LogQueue({ clock, send: async (chunks) => void placed.push(...chunks) });
    at.add('stdout', Buffer.from('a'));
    at.from('build#0');
    at.add('stdout', Buffer.from('b'));
    at.from('test#0');
    at.from('build#0');
    at.add('stdout', Buffer.from('c'));
    await at.flush();
    t.same(
      placed.map(({ site, data }) => [site, data]),
      [
        [undefined, 'YQ=='],
        ['build#0', 'YmM='],
      ],
      'chunks end where another call begins, and only there',
    );
    const refused = new LogQueue({ clock, send: () => Promise.reject(new Error('no')) });
    refused.add('stdout', block);
    await refused.flush();
    refused.add('stdout', block);
    await refused.flush();
    t.pass('a refused log ends quietly');
  },
);
