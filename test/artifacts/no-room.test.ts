import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openCrampedServer } from '../support/cramped-server.ts';

t.setTimeout(600_000);

/** In KiB: no file of the server can become larger. */
const MOST = 4096;

t.test('a server without room for a file says so, and keeps nothing of it', async (t) => {
  const { folder, token, url } = await openCrampedServer(t, MOST);
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
