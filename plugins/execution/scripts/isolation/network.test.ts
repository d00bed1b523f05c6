import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { Activity, systemClock as clock } from '../../../../test/kit/index.ts';
import { openBench } from '../executor/testing/host.ts';
import { nativePrograms } from '../native/build.mjs';
import { Isolation } from './isolation.ts';
import { lacking, leaveOut } from '../../../../test/kit/needs.ts';

t.setTimeout(600_000);

const ids: Ids = { next: (prefix) => `${prefix}_1`, bytes: (count) => randomBytes(count) };
const AWAY = process.env.SVC_TEST_AWAY;

/** Why isolated programs cannot have this network here. */
const faultOf = (network: string) =>
  new Isolation({ env: { ...process.env, SVC_AGENT_NETWORK: network }, ids, node: process.execPath }).findProblem();
const unless = async (network: string) => lacking('isolation', await faultOf(network));

/** Connects and sends to each address, and says what came of it. */
const PROGRAM = `
import errno, json, os, socket, sys
def ask(address, kind):
    family = socket.AF_INET6 if ':' in address else socket.AF_UNIX if address == 'abstract' else socket.AF_INET
    target = '\\0' + os.environ['NAME'] if family == socket.AF_UNIX else (address, int(os.environ['PORT']))
    with socket.socket(family, kind) as one:
        one.settimeout(20)
        try:
            one.sendto(b'x', target) if kind == socket.SOCK_DGRAM else one.connect(target)
            return 'done'
        except OSError as error:
            return errno.errorcode.get(error.errno, str(error))
for address in os.environ['ASKED'].split():
    kinds = [socket.SOCK_STREAM] if address == 'abstract' else [socket.SOCK_STREAM, socket.SOCK_DGRAM]
    print(address, *[ask(address, kind) for kind in kinds])
own = socket.create_server(('127.0.0.1', 0))
try:
    socket.create_connection(own.getsockname()).close()
    print('own done')
except OSError as error:
    print('own', errno.errorcode[error.errno])
`;

async function ask(
  t: Test,
  network: string,
  asked: string[],
  port: number,
  name = '',
): Promise<Record<string, string>> {
  const env = { ...process.env, SVC_AGENT_NETWORK: network };
  const bench = await openBench({ clock, ids, native: true, env });
  const activity = new Activity();
  const workflow = { ASKED: asked.join(' '), PORT: String(port), NAME: name };
  const script = { source: PROGRAM, filename: 'ask.py', trusted: false, environment: { workflow } };
  const end = await bench.finish(activity, script);
  await bench.close();
  t.match(end, { completion: { status: 'succeeded' } }, activity.text('stderr'));
  const lines = activity.text().trim().split('\n');
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1)]));
}

/** A server on all addresses of this machine, and one on an abstract name. */
async function serve(t: Test) {
  const [server, abstract] = [createServer((one) => one.destroy()), createServer((one) => one.destroy())];
  const name = `svc-test-${randomBytes(6).toString('hex')}`;
  await once(server.listen(0, '::'), 'listening');
  await once(abstract.listen(`\0${name}`), 'listening');
  t.teardown(() => {
    server.close();
    abstract.close();
  });
  return { port: (server.address() as { port: number }).port, name };
}

const HERE = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1'];
const every = (addresses: string[], answer: string) => Object.fromEntries(addresses.map((one) => [one, answer]));

if (AWAY === undefined) {
  t.test('by default the network is that of the machine', await unless('host'), async (t) => {
    const { port, name } = await serve(t);
    t.same(await ask(t, 'host', [...HERE, 'abstract'], port, name), {
      ...every(HERE, 'done done'),
      ...{ abstract: 'done', own: 'done' },
    });
  });

  t.test('none: a loopback interface of its own, and nothing else', await unless('none'), async (t) => {
    const { port, name } = await serve(t);
    const away = ['192.0.2.99', '2001:db8::1'];
    t.same(await ask(t, 'none', [...HERE, ...away, 'abstract'], port, name), {
      ...every(HERE, 'ECONNREFUSED done'),
      ...every(away, 'ENETUNREACH ENETUNREACH'),
      ...{ abstract: 'ECONNREFUSED', own: 'done' },
    });
  });

  t.test('loopback-denied: nothing of this machine', await unless('loopback-denied'), async (t) => {
    const { port } = await serve(t);
    const all = [...HERE, '169.254.169.254', 'fe80::1', 'fd00:ec2::254'];
    t.same(await ask(t, 'loopback-denied', all, port), { ...every(all, 'EPERM EPERM'), own: 'EPERM' });
  });

  const tools = ['ip', 'unshare', 'nsenter'].filter((tool) => spawnSync(tool, ['--version']).error);
  const with_tools = lacking('ip', tools.length > 0 && `there is no ${tools.join(', ')}`);
  t.test('loopback-denied: all else', { ...with_tools, ...(await unless('loopback-denied')) }, async (t) => {
    // The same file in a network with a second machine.
    const env = { ...process.env, SVC_TEST_AWAY: '10.99.99.2' };
    const { status, stdout } = spawnSync('unshare', ['-n', process.execPath, import.meta.filename], { env });
    t.equal(status, 0, stdout.toString());
    t.match(stdout.toString(), /^ok 1 - reaches another machine/m);
  });

  /** As a user without privileges. */
  const NOBODY = 65_534;
  if (process.getuid?.() === 0)
    t.test('as an ordinary user', async (t) => {
      const home = mkdtempSync(join(tmpdir(), 'svc-nobody-'));
      t.teardown(() => rmSync(home, { recursive: true, force: true }));
      chownSync(home, NOBODY, NOBODY);
      const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
      const other = { uid: NOBODY, gid: NOBODY, env, cwd: home };
      const file = JSON.stringify(import.meta.filename);
      if (spawnSync(process.execPath, ['-e', `require('fs').accessSync(${file})`], other).status !== 0)
        return leaveOut(t, 'other users');
      const { status, stdout } = spawnSync(process.execPath, [import.meta.filename], other);
      t.equal(status, 0, stdout.toString());
    });
  else
    t.test('who is not root is told why', lacking('cc', (await nativePrograms()).why), async (t) => {
      t.match(await faultOf('loopback-denied'), /only an agent that runs as root.*SVC_AGENT_NETWORK/);
    });
} else
  t.test('reaches another machine', async (t) => {
    const ip = (...args: string[]) => execFileSync('ip', args);
    const other = spawn('unshare', ['-n', 'sh', '-c', 'echo there; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const there = (...args: string[]) => ['-t', String(other.pid), '-n', ...args];
    ip('link', 'set', 'lo', 'up');
    ip('link', 'add', 'here', 'type', 'veth', 'peer', 'name', 'there', 'netns', String(other.pid));
    ip('addr', 'add', '10.99.99.1/24', 'dev', 'here');
    ip('link', 'set', 'here', 'up');
    execFileSync('nsenter', there('ip', 'addr', 'add', `${AWAY}/24`, 'dev', 'there'));
    execFileSync('nsenter', there('ip', 'link', 'set', 'there', 'up'));
    const source =
      "const s = require('net').createServer((one) => one.destroy()).listen(0, '0.0.0.0', () => console.log(s.address().port))";
    const server = spawn('nsenter', there(process.execPath, '-e', source), { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => server.kill('SIGKILL'));
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    const answers = await ask(t, 'loopback-denied', [AWAY, '10.99.99.1', '127.0.0.1'], Number(said.toString()));
    t.same(answers, { [AWAY]: 'done done', '10.99.99.1': 'EPERM EPERM', '127.0.0.1': 'EPERM EPERM', own: 'EPERM' });
    const groups = execFileSync('find', ['/sys/fs/cgroup', '-name', `svc-isolated-${process.pid}-*`]).toString();
    t.equal(groups, '', 'no control group is left');
  });
