import t from 'tap';
import { Database } from '../../kernel/contracts/index.ts';
import { checkFlows } from '../../plugins/engine/flows/testing/invariants.ts';
import { checkLockInvariants } from '../../plugins/execution/locks/testing/invariants.ts';
import { bootEngine, checkRuns, type EngineServer, STORES, until } from '../kit/index.ts';

t.setTimeout(600_000);

const QUEUED = 150;
const REPLACING = 5;
const pipeline = (policy: string) =>
  `concurrency: { group: site, policy: ${policy} }\njobs: { work: { steps: [{ run: "true" }] } }\n`;

interface Shown {
  status: string;
  started_at?: string | null;
  reason?: string;
}

async function submit(server: EngineServer, policy: string): Promise<string> {
  const body = { filename: 'site.yml', source: pipeline(policy) };
  const { status, json, text } = await server.call('member', `POST ${server.scoped}/runs`, body);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return json.run_id as string;
}

const read = async (server: EngineServer, run_id: string): Promise<Shown> =>
  (await server.call('viewer', `GET ${server.scoped}/runs/${run_id}`)).json as Shown;

for (const store of STORES)
  t.test(`${store}: a long queue is replaced, and none of it starts`, { timeout: 600_000 }, async (t) => {
    const server = await bootEngine({ store, plugins: ['pipelines'], idle: false });
    t.teardown(() => server.close());
    const holder = await submit(server, 'queue');
    const replaced: string[] = [];
    for (let n = 0; n < QUEUED; n++) replaced.push(await submit(server, 'queue'));
    const queued = new Set(replaced);
    for (let n = 0; n < REPLACING; n++) replaced.push(await submit(server, 'cancel-running'));
    const last = await submit(server, 'cancel-running');
    const later = await submit(server, 'queue');
    await until(async () => (await read(server, last)).status === 'running', { what: 'the last run to start' });
    for (const run_id of replaced) {
      const ended = await until(async () => {
        const run = await read(server, run_id);
        return run.status === 'cancelled' && run;
      });
      // One that replaces others was the newest when it came, and may have had its turn.
      if (ended.started_at && queued.has(run_id)) t.fail(`${run_id} started in between`);
      if (!/^superseded by the run run_\w+ in the concurrency group site$/.test(ended.reason ?? ''))
        t.fail(`${run_id}: ${ended.reason}`);
    }
    t.match(await read(server, holder), { status: 'cancelled', started_at: String });
    t.match(await read(server, later), { status: 'queued' }, 'who comes later waits');
    await server.call('member', `POST ${server.scoped}/runs/${last}/cancel`, {});
    await until(async () => (await read(server, later)).status === 'running', { what: 'its turn' });
    const database = server.use(Database);
    t.same([...(await checkRuns(database)), ...(await checkFlows(database))], []);
    t.same(await checkLockInvariants(database), []);
    const locks = (await server.call('viewer', `GET ${server.scoped}/locks`)).json.locks;
    t.match(locks, [{ group: 'site', holder: { run_id: later }, queue: [], queue_length: 0 }]);
  });
