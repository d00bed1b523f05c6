import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { compiledCode } from '../../features/support/home.ts';
import { runToEnd } from '../../features/support/process.ts';
import { clone, startTarget, svcProgram } from '../../features/support/target.ts';
import { readOptions } from './options.ts';
import type { Report } from './report/report.ts';

const FILES = [
  'features/runs/submit.feature',
  'features/http/service.feature',
  'features/verbs/activity-submit.feature',
];

const conformance = (args: readonly string[], env: Record<string, string> = {}) =>
  runToEnd(process.execPath, [join(clone, 'test/conformance/features.ts'), ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...compiledCode(), ...env },
    cwd: clone,
    bound_ms: 240_000,
  });

async function folder(t: Test): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'svc-conformance-test-'));
  t.teardown(() => rm(made, { recursive: true, force: true }));
  return made;
}

const reportIn = async (place: string) => JSON.parse(await readFile(join(place, 'conformance.json'), 'utf8')) as Report;

t.test('the features pass against a server that is not theirs, but for what starts its own', async (t) => {
  const target = await startTarget();
  const place = await folder(t);
  try {
    const args = ['--base-url', `${target.base_url}/`, '--report', place, ...FILES];
    const { exit, stdout, stderr } = await conformance(args, { SVC_TOKEN: target.token });
    t.equal(exit, 0, stdout + stderr);
    const [, count] = /^(\d+) scenarios \(\1 passed\)$/m.exec(stdout) ?? [];
    t.ok(Number(count) > 10, stdout);
    t.equal(target.own?.server.running, true, 'the server was left as it was');
    const { counts, rules, scenarios } = await reportIn(place);
    t.equal(counts.scenarios.passed, Number(count));
    const of = (id: string) => rules.find(({ rule }) => rule === id);
    t.equal(of('HTTP-013')?.result, 'passed');
    t.equal(of('VERB-023')?.result, 'passed', 'an agent of the scenario joined the server');
    t.match(of('SCR-075'), { result: 'not_applicable', reasons: [/^it kills the server/] });
    t.match(of('ACCT-001'), { result: 'not_applicable', reasons: [/--write-providers/] });
    const proved = rules.filter(({ result }) => result === 'passed').length;
    t.match(stdout, `rules proved: ${proved} of ${rules.length}`);
    t.match(stdout, /left out: it kills the server/);
    t.equal(of('OVW-013')?.result, 'not_chosen', 'features that the call does not name are known');
    t.equal(scenarios.filter(({ result, reason }) => result === 'not_applicable' && !reason).length, 0);
  } finally {
    await target.close();
  }
});

/** The same service with codes, statuses and words of refusals that the specification leaves open. */
async function otherwise(base_url: string): Promise<Server> {
  const server = createServer((asked, answer) => void passOn(base_url, asked, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The whole body first: a refusal that comes before its end would cut off whoever still sends. */
async function passOn(base_url: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { method, url, headers } = asked;
  const body = await buffer(asked);
  const onward = request(new URL(url ?? '/', base_url), { method, headers });
  const response = once(onward, 'response');
  onward.end(body);
  const [came] = (await response) as [IncomingMessage];
  // It may close before it has read everything.
  onward.on('error', () => undefined);
  await changed(came, answer);
}

async function changed(came: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { statusCode = 500, headers } = came;
  if (!headers['content-type']?.startsWith('application/problem+json')) {
    answer.writeHead(statusCode, headers);
    came.pipe(answer);
    return;
  }
  for await (const _chunk of came);
  // The specification itself names 401 and 413.
  const status = statusCode === 401 || statusCode === 413 ? statusCode : 418;
  answer.writeHead(status, { 'content-type': 'text/plain' });
  answer.end('no');
}

t.test('an implementation with other codes shows the specification, and not the contract', async (t) => {
  const target = await startTarget();
  const other = await otherwise(target.base_url);
  const place = await folder(t);
  try {
    const program = join(place, 'svc');
    await writeFile(program, `#!/bin/sh\necho "$1" >> '${place}/called'\nexec '${svcProgram}' "$@"\n`);
    await chmod(program, 0o755);
    const base_url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const args = ['--base-url', base_url, '--svc', program, '--report', place, 'features/events/emit.feature'];
    const env = { SVC_TOKEN: target.token };
    const strict = await conformance(args, env);
    t.equal(strict.exit, 1, 'the contract is not kept');
    t.match(strict.stdout, /418 !== 40[03]/);
    const failed = await reportIn(place);
    t.equal(failed.rules.find(({ rule }) => rule === 'EVT-035')?.result, 'failed');

    const { exit, stdout, stderr } = await conformance([...args, '--spec-only'], env);
    t.equal(exit, 0, stdout + stderr);
    const { rules, spec_only } = await reportIn(place);
    t.equal(spec_only, true);
    for (const id of ['EVT-035', 'EVT-042', 'ERR-016', 'LIM-001'])
      t.equal(rules.find(({ rule }) => rule === id)?.result, 'passed', id);
    t.match(await readFile(join(place, 'called'), 'utf8'), /^emit$/m, 'the command line of that implementation');
  } finally {
    other.closeAllConnections();
    other.close();
    await target.close();
  }
});

t.test('the suite writes what the settings of a server name, for nobody else to read', async (t) => {
  const file = join(await folder(t), 'providers.json');
  const { exit, stdout } = await conformance(['--write-providers', file]);
  t.equal(exit, 0);
  t.match(stdout, `SVC_CONNECTED_ACCOUNT_PROVIDERS=@${file}`);
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const target = await startTarget({ agents: 1, env: { SVC_CONNECTED_ACCOUNT_PROVIDERS: `@${file}` } });
  try {
    const args = ['--base-url', target.base_url, '--providers', file, 'features/accounts/names.feature'];
    const { exit, stdout, stderr } = await conformance(args, { SVC_TOKEN: target.token });
    t.equal(exit, 0, stdout + stderr);
    const without = chromiumPath() === undefined ? ', 1 skipped' : '';
    t.match(stdout, new RegExp(`^[5-9] scenarios \\(\\d passed${without}\\)$`, 'm'));
    const other = join(await folder(t), 'other.json');
    await writeFile(other, '[]');
    const wrong = await conformance([...args.slice(0, 2), '--providers', other, FILES[0]!], {
      SVC_TOKEN: target.token,
    });
    t.not(wrong.exit, 0);
    t.match(wrong.stdout + wrong.stderr, /other\.json is not what --write-providers has written/);
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
    const none = await conformance(['--base-url', target.base_url, FILES[0]!], { SVC_TOKEN: target.token });
    t.not(none.exit, 0);
    t.match(none.stdout + none.stderr, /no agent is online for conformance/);
  } finally {
    await target.close();
  }
});

t.test('without an address or a token it says what it takes', async (t) => {
  const usable = ['--base-url', 'http://127.0.0.1:1', '--token', 'x'];
  const wrong = [
    ...[[], usable.slice(0, 2), usable.slice(2), ['--bas-url', 'x'], ['--base-url', 'here', '--token', 'x']],
    ...['0/2', '3/2', 'half'].map((shard) => [...usable, '--shard', shard]),
  ];
  t.ok(readOptions(usable, {}));
  for (const args of wrong) t.equal(readOptions(args, {}), undefined, args.join(' '));
  t.match(await conformance(wrong[0]!), { exit: 2, stderr: /usage: npm run conformance/ });
});
