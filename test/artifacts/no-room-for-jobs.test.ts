import { join } from 'node:path';
import t from 'tap';
import { Service } from '../../features/support/process.ts';
import { openCrampedServer, SVC } from '../support/cramped-server.ts';

t.setTimeout(600_000);

/** In KiB: no file of the server can become larger. */
const MOST = 4096;

t.test('a job whose artifacts have no room fails with the reason, and the server goes on', async (t) => {
  const { folder, env, token, url } = await openCrampedServer(t, MOST);
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
