import { join } from 'node:path';
import t from 'tap';
import { runToEnd } from '../../features/support/process.ts';
import { clone, startTarget } from '../../features/support/target.ts';

const FILES = ['features/runs/submit.feature', 'features/http/service.feature', 'features/errors/start.feature'];

const conformance = (args: readonly string[], env: Record<string, string> = {}) =>
  runToEnd(process.execPath, [join(clone, 'test/conformance/features.ts'), ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    cwd: clone,
    bound_ms: 120_000,
  });

t.test('the features pass against a server that is not theirs, but for what starts its own', async (t) => {
  const target = await startTarget();
  try {
    const { exit, stdout, stderr } = await conformance(['--base-url', `${target.base_url}/`, ...FILES], {
      SVC_TOKEN: target.token,
    });
    t.equal(exit, 0, stdout + stderr);
    const [, count] = /^(\d+) scenarios \(\1 passed\)$/m.exec(stdout) ?? [];
    t.ok(Number(count) > 10, stdout);
    t.equal(target.own?.server.running, true, 'the server was left as it was');
  } finally {
    await target.close();
  }
});

t.test('a wrong token is named as the reason', async (t) => {
  const target = await startTarget({ agents: 0 });
  try {
    const args = ['--base-url', target.base_url, '--token', 'svc_pat_wrong', FILES[0]!];
    const { exit, stdout, stderr } = await conformance(args);
    t.not(exit, 0);
    t.match(stdout + stderr, /does not take the token: 401/);
  } finally {
    await target.close();
  }
});

t.test('without an address or a token it says what it takes', async (t) => {
  for (const args of [[], ['--base-url', 'http://127.0.0.1:1'], ['--token', 'x'], ['--bas-url', 'x']]) {
    const { exit, stderr } = await conformance(args);
    t.equal(exit, 2, args.join(' '));
    t.match(stderr, /usage: npm run conformance/);
  }
});
