import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import t from 'tap';
import { runToEnd, Service } from '../../features/support/process.ts';
import { homeFolder } from '../../features/support/home.ts';

t.setTimeout(600_000);

const SVC = resolve(import.meta.dirname, '../../cli/svc');
/** In 1,024 bytes, as bash counts: no file of the server can become larger. */
const MOST = 4096;

t.test('a server without room for a file says so, and keeps nothing of it', async (t) => {
  const folder = await homeFolder('svc-no-room-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '', SVC_PORT: '0', SVC_LOG_LEVEL: 'error' };
  const bootstrap = ['admin', 'bootstrap', '--org', 'acme', '--project', 'main', '--user', 'ana', '--json'];
  const made = await runToEnd(SVC, bootstrap, { env, cwd: folder });
  const { token } = JSON.parse(made.stdout) as { token: string };
  const server = new Service('bash', ['-c', `ulimit -f ${MOST}; exec ${SVC} serve`], { env, cwd: folder });
  t.teardown(() => server.kill('SIGKILL'));
  const [, url] = await server.says(/ready: (\S+)/);
  const call = async (method: string, path: string, body?: Buffer | string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/v1/orgs/acme/projects/main${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const json = { 'content-type': 'application/json' };
  const { run_id } = (await call('POST', '/runs', JSON.stringify({ source: 'true' }), json)).json;
  const large = randomBytes(MOST * 1024 + 1);
  const refused = await call('PUT', `/runs/${String(run_id)}/artifacts/large`, large);
  t.match(refused, { status: 507, json: { code: 'artifact_store_full', next: /space/ } });
  t.equal((await call('GET', `/runs/${String(run_id)}/artifacts/large`)).status, 404);
  t.same((await call('GET', `/runs/${String(run_id)}/artifacts`)).json.artifacts, []);
  const files = await readdir(join(folder, '.svc', 'artifacts'), { recursive: true, withFileTypes: true });
  t.same(
    files.filter((one) => one.isFile()).map(({ name }) => name),
    ['store-id'],
    'the part that was begun is gone',
  );
  const kept = await call('PUT', `/runs/${String(run_id)}/artifacts/small`, large.subarray(0, 1000));
  t.equal(kept.status, 201, 'what has room is stored');
});
