import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Finished, runToEnd, Service } from '../../features/support/process.ts';
import { clone, packageVersion } from '../../features/support/target.ts';
import { installGreeter, must } from './third-party.ts';

/** Two compilers run here: on two loaded cores each takes more than a minute. */
const BOUND_MS = 600_000;
const STEP_MS = 180_000;

t.setTimeout(BOUND_MS);
/** Built once, for all tests of this file. */
must(process.execPath, ['cli/build.mjs'], clone);

function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-built-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

t.test('the published package runs by itself', async (t) => {
  const folder = emptyFolder(t);
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const svc = (...args: string[]) =>
    runToEnd(process.execPath, [join(clone, 'dist/cli/main.mjs'), ...args], { cwd: folder, env, bound_ms: STEP_MS });
  t.equal((await svc('--version')).stdout.trim(), packageVersion);
  t.match((await svc('plugins')).stdout, /scripts 0\.1\.0/);
  writeFileSync(join(folder, 'hello.sh'), 'name=$(svc step who -- echo you)\nsvc sleep 10ms\necho "hello $name"\n');
  const ran = await svc('run', 'hello.sh');
  t.equal(ran.exit, 0, ran.stderr);
  t.equal(ran.stdout, 'hello you\n');
});

/** Greets, and is replayed after the sleep: the greeting must not be counted again. */
const SCRIPT = 'svc greet ana\nsvc sleep 50ms\necho "job of $GREETER_PROJECT"\n';
const SAYS = /^Hello ana from run_\w+\njob of prj_\w+\n$/;

type Svc = (...args: string[]) => Promise<Finished>;

t.test('a plugin that is installed beside the package is found, serves and tests itself', async (t) => {
  const folder = emptyFolder(t);
  installGreeter(folder);
  writeFileSync(join(folder, 'greet.sh'), SCRIPT);
  const { PATH = '', SVC_TEST_MYSQL_URL } = process.env;
  const own = { PATH, HOME: folder, SVC_PLUGINS: 'svc-greeter' };
  const env: Record<string, string> = SVC_TEST_MYSQL_URL ? { ...own, SVC_TEST_MYSQL_URL } : own;
  const options = { cwd: folder, env, bound_ms: STEP_MS };
  const program = join(folder, 'node_modules/svc/cli/svc');
  const svc: Svc = (...args) => runToEnd(program, args, options);

  await t.test('its command, its verb and itself are listed', async (t) => {
    t.match((await svc('plugins')).stdout, /greeter 1\.0\.0/);
    t.match((await svc('help', 'greet-somebody')).stdout, /usage: svc greet-somebody <name>/);
    t.match((await svc('help', 'greet')).stdout, /usage: svc greet <name>/);
  });
  await t.test('its verb and its variable in a local run', async (t) => {
    const ran = await svc('run', 'greet.sh');
    t.match(ran.stdout, SAYS, ran.stderr);
  });
  await t.test('all of it on a running server', async (t) => {
    const dev = new Service(program, ['dev', '--port', '0'], { cwd: folder, env });
    t.teardown(() => dev.kill('SIGTERM'));
    const [, url = ''] = await dev.says(/svc dev is ready: (\S+)/, STEP_MS);
    await greeterOnServer(t, svc, url, readFileSync(join(folder, '.svc/profile.json'), 'utf8'));
  });
  await t.test('its own test', async (t) => {
    const tested = await runToEnd(process.execPath, ['node_modules/svc-greeter/greeter.test.js'], options);
    t.equal(tested.exit, 0, tested.stdout + tested.stderr);
    t.match(tested.stdout, /pass [12]\n/, 'and it tested something');
  });
});

/** Verb, table, variable, command and route, each from another process than the server. */
async function greeterOnServer(t: Test, svc: Svc, url: string, profile: string): Promise<void> {
  const greeted = async () => (await svc('greet-somebody', 'ana')).stdout;
  t.equal(await greeted(), 'Hello ana, this is main (greeted 0 times)\n');
  const ran = await svc('submit', 'greet.sh', '--follow');
  t.equal(ran.exit, 0, ran.stderr);
  t.match(ran.stdout, SAYS, ran.stderr);
  t.equal(await greeted(), 'Hello ana, this is main (greeted 1 times)\n', 'once, though the script was replayed');
  const { token } = JSON.parse(profile) as { token: string };
  const answer = await fetch(`${url}/api/v1/orgs/dev/projects/main/greetings/ana`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.same(await answer.json(), { greeting: 'Hello ana, this is main', greeted: 1 });
}
