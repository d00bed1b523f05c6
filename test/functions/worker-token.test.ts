import t from 'tap';
import { boot } from '../kit/index.ts';
import { Client } from '../../cli/client/client.ts';
import { createWorkerToken } from '../../cli/commands/worker-token.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The timer that is armed, as a clock that is put forward would fire it. */
class Timer {
  delay_ms: number | undefined;
  #run: () => void = () => undefined;

  readonly after = (delay_ms: number, run: () => void) => {
    this.delay_ms = delay_ms;
    this.#run = run;
    return () => {
      this.delay_ms = undefined;
    };
  };

  /** Resolves when the next one is armed. */
  async fire(): Promise<void> {
    this.delay_ms = undefined;
    this.#run();
    while (this.delay_ms === undefined) await new Promise((turn) => setImmediate(turn));
  }
}

t.test('the token of a worker is renewed before it ends, for as long as the worker lives', async (t) => {
  const server = await boot({ access: 'project', plugins: ['access', 'vault', 'audit', 'http', 'schema'] });
  t.teardown(() => server.close());
  const { json: owner } = await server.call('owner', 'POST /api/v1/tokens', { name: 'cli' });
  const client = new Client({ url: server.url, token: owner.token, org: 'acme', project: 'web' } as never);
  const notes: string[] = [];
  const output = { note: (text: string) => notes.push(text) };
  const made = await createWorkerToken({ client: async () => client, output } as never, undefined, ['flow.mjs']);
  const timer = new Timer();
  made!.renewUntilRevoked(timer);
  const status = async () => (await server.call(made!.token, 'GET /api/v1/whoami')).status;
  for (let day = 0; day < 10; day++) {
    t.equal(timer.delay_ms, DAY_MS);
    server.clock.advance(DAY_MS);
    await timer.fire();
    t.equal(await status(), 403, `known on day ${day + 1}, and may not ask this`);
  }
  t.equal(notes.length, 1, 'nothing else is said');
  const { json } = await server.call('owner', 'GET /api/v1/tokens');
  const { id } = json.tokens.find(({ name }: { name: string }) => name.startsWith('worker-'));
  await server.call('owner', `DELETE /api/v1/tokens/${id}`);
  t.equal(await status(), 401, 'what has ended is not known');
  await timer.fire();
  t.equal(timer.delay_ms, HOUR_MS, 'it is tried again');
  t.match(notes[1], /was not renewed: the token does not exist/);
  await made!.revoke();
  t.equal(timer.delay_ms, undefined, 'its timer ends with it');
});

t.test('only a valid token of an agent is renewed, by whoever may create one', async (t) => {
  const server = await boot({ access: 'project', plugins: ['access', 'vault', 'audit', 'http', 'schema'] });
  t.teardown(() => server.close());
  const create = async (body: object) =>
    (await server.call('owner', 'POST /api/v1/tokens', { name: 'x', ...body })).json;
  const renew = (by: string, id: string, expires_in = '7d') =>
    server.call(by, `POST /api/v1/tokens/${id}/renew`, { expires_in });
  const agent = await create({ kind: 'agent', org: 'acme', expires_in: '1h' });
  for (const by of ['viewer', 'member', 'admin', 'rival', agent.token])
    t.match([403, 404].includes((await renew(by, agent.id)).status), true, `${by} may not`);
  t.match(await renew('owner', agent.id), { status: 200, json: { id: agent.id, token: undefined } });
  t.match(await renew('owner', agent.id, '20y'), { status: 400 });
  t.match(await renew('owner', (await create({ expires_in: '1h' })).id), { status: 400 });
  t.match(await renew('owner', (await create({ kind: 'agent', org: 'acme' })).id), { status: 404 });
  const { token: brief } = await create({ expires_in: '2h' });
  t.match(await renew(brief, agent.id), { status: 403 }, 'not longer than the token that renews it');
  server.clock.advance(8 * DAY_MS);
  t.match(await renew('owner', agent.id), { status: 404 }, 'a token that has ended stays so');
});
