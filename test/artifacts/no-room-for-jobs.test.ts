import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, Service } from '../../features/support/process.ts';

t.setTimeout(600_000);

const SVC = resolve(import.meta.dirname, '../../cli/svc');
/** In 1,024 bytes, as bash counts: no file of the server can become larger. */
const MOST = 4096;

t.test('a job whose artifacts have no room fails with the reason, and the server goes on', async (t) => {
  const folder = await homeFolder('svc-no-room-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '', SVC_PORT: '0', SVC_LOG_LEVEL: 'error' };
  const bootstrap = ['admin', 'bootstrap', '--org', 'acme', '--project', 'main', '--user', 'ana', '--json'];
  const made = await runToEnd(SVC, bootstrap, { env, cwd: folder });
  const { token } = JSON.parse(made.stdout) as { token: string };
  const server = new Service('bash', ['-c', `ulimit -f ${MOST}; exec ${SVC} serve`], { env, cwd: folder });
  t.teardown(() => server.kill('SIGKILL'));
  const [, url = ''] = await server.says(/ready: (\S+)/);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
    return (await response.json()) as any;
  };
  const agents = await call('POST', '/tokens', { name: 'agents', kind: 'agent', org: 'acme' });
  const agent = new Service(SVC, ['agent', '--name', 'one'], {
    env: { PATH: env.PATH, SVC_URL: url, SVC_TOKEN: String(agents.token), HOME: folder, SVC_AGENT_ALLOW_ROOT: 'on' },
    cwd: join(folder),
  });
  t.teardown(() => agent.kill('SIGKILL'));
  const run = (source: string) =>
    call('POST', '/orgs/acme/projects/main/runs?wait=60s', { filename: 'ci.yml', source: `jobs: { a: ${source} }` });
  const make = (bytes: number) => `{ steps: [{ run: "head -c ${bytes} /dev/urandom > file" }], artifacts: [file] }`;
  const failed = await run(make(MOST * 1024 + 1));
  t.match(failed, {
    status: 'failed',
    error: { code: 'artifact_failed', message: /"file": the artifact disk is full/ },
  });
  t.match(await run(make(1000)), { status: 'succeeded' }, 'what has room is stored');
  const later = await call('GET', `/orgs/acme/projects/main/runs/${failed.run_id}/artifacts`);
  t.same(later.artifacts, [], 'nothing of the first is there');
});
