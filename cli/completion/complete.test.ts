import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { storeLastRun } from '../last-run.ts';
import { complete } from './complete.ts';

const ID = 'run_01K00000000000000000000001';

/** A server, and the words that are offered with it. */
async function world(t: Test, answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://x');
    asked.push(`${pathname}${search}`);
    const body = Object.entries(answers).find(([path]) => pathname.endsWith(path))?.[1];
    // Without an answer it keeps silent.
    if (body !== undefined) response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const SVC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { SVC_URL, SVC_TOKEN: 'x', SVC_ORG: 'o', SVC_PROJECT: 'p', HOME: t.testdirName };
  const submitted = (run_id: string) =>
    storeLastRun({ url: SVC_URL, org: 'o', project: 'p' }, { env, folder: process.cwd() }, run_id);
  return {
    asked,
    submitted,
    offered: async (...words: string[]) => (await complete(words, env)).split('\n').filter(Boolean),
  };
}

const RUN = { run_id: ID, status: 'failed', workflow: 'a.sh', tags: [], created_at: '2026-11-21T10:00:00.000Z' };

t.test('values come from the list of the same noun, or the one that is named', async (t) => {
  const { asked, submitted, offered } = await world(t, {
    '/runs': { runs: [RUN] },
    '/handlers': {
      handlers: [
        { name: 'report', on: ['run.*'] },
        { name: 'evil\n--rm', on: [] },
        { name: 'other', on: [] },
      ],
    },
    '/event-types': { types: [{ type: 'deploy.done', source: 'seen' }] },
    '/secrets': { secrets: [{ name: 'KEY', set_at: '2026-11-21T10:00:00.000Z' }] },
    [`/runs/${ID}`]: { ...RUN, kind: 'script', status: 'waiting', substate: { kind: 'signal', name: 'approved' } },
    [`/runs/${ID}/artifacts`]: { artifacts: [{ path: 'dist/a.js', size: 3 }] },
    '/whoami': { user: {}, orgs: [{ org: 'o', role: 'owner', projects: [{ project: 'web', role: 'admin' }] }] },
  });
  t.same(await offered('status', ''), ['@last\tyour most recently submitted run', `${ID}\tfailed a.sh`]);
  t.same(await offered('handler', 'show', 'r'), ['report\trun.*']);
  t.same(await offered('handler', 'rm', ''), ['report\trun.*', 'other'], 'no word that is more than one');
  t.match(await offered('emit', ''), [/^deploy\.done\t/]);
  t.match(await offered('handler', 'set', 'x', 'f.sh', '--on', 'dep'), [/^deploy\.done\t/]);
  t.match(await offered('secret', 'get', ''), [/^KEY\t/]);
  t.same(await offered('signal', ID, ''), ['approved\tthe run is waiting for it'], 'and no files');
  t.same(await offered('signal', ID, 'x'), []);
  t.match(await offered('artifact', 'get', ID, ''), [/^dist\/a\.js\t3/]);
  t.same(await offered('artifact', 'get', '@last', ''), [], 'nothing was submitted');
  await submitted(ID);
  t.match(await offered('artifact', 'get', '@last', ''), [/^dist\/a\.js\t3/]);
  t.same(await offered('runs', 'ls', '--org', ''), ['o\towner']);
  t.same(await offered('runs', 'ls', '--project', ''), ['web\tadmin']);
  t.ok(
    asked.every((path) => path.endsWith('whoami') || path.endsWith(ID) || /limit=1(?:00)?$/.test(path)),
    'no list is read further',
  );
});

t.test('choices, codes and files need no server', async (t) => {
  const { asked, offered } = await world(t, {});
  t.same(await offered('runs', 'ls', '--status', 'fa'), ['failed']);
  t.same(await offered('logs', '@last', '--pass', ''), ['last', 'all']);
  t.same(await offered('completion', 'z'), ['zsh']);
  t.match(await offered('errors', 'determinism_v'), [/^determinism_violation\t/]);
  t.same(await offered('submit', ''), [':files']);
  t.same(await offered('agent', '--token-file', ''), [':files']);
  t.same(asked, []);
});

t.test('the inputs that a workflow declares are flags, with their values', async (t) => {
  const schema = {
    properties: {
      service: { type: 'string', description: 'what to deploy' },
      stage: { enum: ['test', 'live'] },
      push: { type: 'boolean', default: true },
      graph: { type: 'string' },
    },
  };
  const { asked, offered } = await world(t, { '/inputs': { schema } });
  const path = join(
    t.testdir({ 'deploy.yaml': 'inputs: { service: string, at: live|test }\njobs: {}\n' }),
    'deploy.yaml',
  );
  t.same(await offered('submit', path, '--serv'), ['--service']);
  t.same(await offered('submit', path, '--at', 'l'), ['live']);
  t.same(await offered('submit', path, '--at=t'), ['test']);
  t.match(await offered('submit', path, '--ta'), [/^--tag\t/], 'beside the flags of the command');
  t.same(asked, []);
  t.same(await offered('submit', '--graph', 'ship', '--serv'), ['--service\twhat to deploy']);
  t.same(await offered('submit', '--graph', 'ship', '--stage', ''), ['test', 'live']);
  t.same(await offered('submit', '--graph', 'ship', '--no-'), ['--no-push']);
  t.same(await offered('submit', '--graph', 'ship', '--input.'), ['--input.graph']);
  t.match(await offered('submit', 'absent.yaml', '--tag'), [/^--tag\t/], 'without such a file');
});

t.test('whatever is wrong is passed over, and soon', async (t) => {
  const { asked, offered } = await world(t, {});
  const from = Date.now();
  t.same(await offered('status', ''), []);
  t.ok(Date.now() - from < 10_000);
  t.equal(asked.length, 1, 'it was asked');
  t.equal(await complete(['status', ''], { HOME: t.testdirName, SVC_URL: 'nonsense' }), '');
  t.same(await offered('status', '--nothing', ''), []);
});
