import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, Service } from '../../features/support/process.ts';

t.setTimeout(600_000);

const SVC = resolve(import.meta.dirname, '../../cli/svc');
/** In 1,024 bytes, as bash counts: no file of the server can become larger. */
const MOST = 3072;
const SUBMITS = 100;

t.test('a server whose database takes no writes is not ready', async (t) => {
  const folder = await homeFolder('svc-full-disk-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '', SVC_PORT: '0', SVC_LOG_LEVEL: 'error', SVC_RATE_LIMIT: 'off' };
  const bootstrap = ['admin', 'bootstrap', '--org', 'acme', '--project', 'main', '--user', 'ana', '--json'];
  const made = await runToEnd(SVC, bootstrap, { env, cwd: folder });
  const { token } = JSON.parse(made.stdout) as { token: string };
  const server = new Service('bash', ['-c', `ulimit -f ${MOST}; exec ${SVC} serve`], { env, cwd: folder });
  t.teardown(() => server.kill('SIGKILL'));
  const [, url] = await server.says(/ready: (\S+)/);
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  const submit = async () => {
    const response = await fetch(`${url}/api/v1/orgs/acme/projects/main/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ source: `true # ${'x'.repeat(90_000)}`, filename: 'a.sh' }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  let status = 201;
  for (let count = 0; status === 201 && count < SUBMITS; count++) status = await submit();
  t.equal(status, 503, 'the disk is full');
  const answer = await fetch(`${url}/readyz`);
  t.equal(answer.status, 503);
  t.match(await answer.json(), { code: 'unavailable', failing: ['database_writes'] });
  t.equal((await fetch(`${url}/healthz`)).status, 200, 'the process lives');
});
