import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { runToEnd, until } from '../../features/support/process.ts';
import { bootstrap, startTarget, svcProgram, type Target } from '../../features/support/target.ts';
import { askPatiently } from '../crash/patient-api.ts';
import { openTestDatabase, type Store, STORES } from '../kit/index.ts';
import { isLong } from '../support/length.ts';

t.setTimeout(600_000);

const stores = [...STORES];
const PAIRS: [Store, Store][] = stores.flatMap((store) => [[store, store]]);
if (stores.includes('mysql')) PAIRS.push(['sqlite', 'mysql']);
/** From one store to the other shows both. */
const SOME = isLong ? PAIRS : PAIRS.slice(-1);

// biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
type Json = any;

/** One script a state. Each step writes its idempotency key into a ledger outside of the service. */
const note = (name: string) =>
  `svc step ${name} -- bash -c 'echo "${name} $SVC_IDEMPOTENCY_KEY" >> "$LEDGER"; echo ${name}'`;
const SCRIPTS = {
  finished: `${note('done')}\nsvc output set ok:=true`,
  signalled: `${note('before')}
mkdir -p out; echo hello > out/a.txt; svc artifact put out
svc wait-signal go
svc step opened -- bash -c 'echo "opened $API_KEY in $REGION" >> "$LEDGER"'`,
  sleeping: `${note('tired')}\nsvc sleep 25s\n${note('awake')}`,
  stepping: `svc step slow -- bash -c 'echo "slow $SVC_IDEMPOTENCY_KEY" >> "$LEDGER"; [ -e "$HERE/second" ] || sleep 600'`,
  forgotten: `svc wait-signal go\n${note('repeated')}\nsvc wait-signal end`,
  queued: note('late'),
};

for (const [from, to] of SOME)
  t.test(`the machine of a ${from} is lost, and its backup goes on in a ${to}`, { timeout: 600_000 }, async (t) => {
    const here = await homeFolder('svc-lost-');
    t.teardown(() => rm(here, { recursive: true, force: true }));
    const [first, second] = [await openTestDatabase(from), await openTestDatabase(to)];
    t.teardown(() => Promise.all([first.drop(), second.drop()]));
    const bootstrapped = await bootstrap(first.url, here, { SVC_MASTER_KEY: first.master_key });
    const machine = async (name: string, database_url: string) => {
      await mkdir(join(here, name), { recursive: true });
      const env = { SVC_ARTIFACTS: join(here, name, 'artifacts') };
      return startTarget({ database_url, bootstrapped, env, agents: 0 });
    };
    const old = await machine('one', first.url);
    t.teardown(() => old.close());
    const world = new World(old, here);
    await world.agent('one');
    await world.begin();

    const file = join(here, 'lost.svc');
    const settings = (url: string, name: string) => ({
      ...{ SVC_DATABASE_URL: url, SVC_MASTER_KEY: first.master_key, SVC_ARTIFACTS: join(here, name, 'artifacts') },
      ...{ PATH: process.env.PATH ?? '', HOME: here },
    });
    const saved = await runToEnd(svcProgram, ['admin', 'backup', file, '--artifacts', '--json'], {
      ...{ env: settings(first.url, 'one'), cwd: here, bound_ms: 240_000 },
    });
    t.equal(saved.exit, 0, saved.stderr);
    t.match(JSON.parse(saved.stdout), { artifacts: { contents: 1, missing: 0 } });

    // What happens after the backup is forgotten with the machine.
    await world.signal('forgotten', 'go');
    await world.reaches('forgotten', ({ substate }) => substate?.name === 'end');
    for (const service of [old.own!.server, ...old.own!.agents]) await service.kill('SIGKILL');
    await first.drop();
    await writeFile(join(here, 'second'), '');

    const restored = await runToEnd(svcProgram, ['admin', 'restore', file], {
      ...{ env: settings(second.url, 'two'), cwd: here, bound_ms: 240_000 },
    });
    t.equal(restored.exit, 0, restored.stderr);
    const anew = await machine('two', second.url);
    t.teardown(() => anew.close());
    world.target = anew;
    t.not((await world.run('sleeping')).status, 'succeeded', 'its sleep may be over, but no agent is there');
    await world.agent('two', ['--cap', 'late']);
    await world.signal('signalled', 'go');
    await world.signal('forgotten', 'go');
    await world.signal('forgotten', 'end');
    for (const name of Object.keys(SCRIPTS) as Name[])
      await world.reaches(name, ({ status, error }) => {
        if (['failed', 'cancelled'].includes(status)) throw new Error(`${name}: ${JSON.stringify(error)}`);
        return status === 'succeeded';
      });
    await verify(t, world);
  });

type Name = keyof typeof SCRIPTS;

class World {
  target: Target;
  readonly here: string;
  readonly #runs = {} as Record<Name, string>;

  constructor(target: Target, here: string) {
    this.target = target;
    this.here = here;
  }

  get ledger(): string {
    return join(this.here, 'ledger');
  }

  call(method: string, path: string, body?: unknown): Promise<Json> {
    return askPatiently(this.target, method, path, body);
  }

  async agent(name: string, args: string[] = []): Promise<void> {
    await this.target.own!.startAgent(name, { args });
  }

  submit(name: Name): Promise<Json> {
    const source = `LEDGER='${this.ledger}' HERE='${this.here}'; export LEDGER HERE\n${SCRIPTS[name]}\n`;
    const requires = name === 'queued' ? ['late'] : [];
    return this.call('POST', '/runs', { filename: `${name}.sh`, source, requires, idempotency_key: `key ${name}` });
  }

  run(name: Name): Promise<Json> {
    return this.call('GET', `/runs/${this.#runs[name]}`);
  }

  path(name: Name): string {
    return `/runs/${this.#runs[name]}`;
  }

  reaches(name: Name, is: (run: Json) => boolean): Promise<true> {
    return until(`${name} to get there`, 90_000, async () => is(await this.run(name)) || undefined);
  }

  signal(name: Name, signal: string): Promise<Json> {
    return this.call('POST', `/runs/${this.#runs[name]}/signals/${signal}`, {});
  }

  async lines(): Promise<string[]> {
    return (await readFile(this.ledger, 'utf8')).trim().split('\n');
  }

  /** Brings a run into each state. */
  async begin(): Promise<void> {
    await this.call('PUT', '/secrets/API_KEY', { value: 'open sesame' });
    await this.call('PUT', '/vars/REGION', { value: 'eu' });
    const handled = { filename: 'handled.sh', source: `echo handled >> '${this.ledger}'\n` };
    await this.call('PUT', '/handlers/ticks', { on: ['tick'], ...handled });
    await this.call('PUT', '/schedules/yearly', { cron: '0 0 1 1 *', workflow: handled });
    const begin = async (name: Name) => void (this.#runs[name] = (await this.submit(name)).run_id);
    for (const name of Object.keys(SCRIPTS) as Name[]) if (name !== 'sleeping') await begin(name);
    await this.reaches('finished', ({ status }) => status === 'succeeded');
    await this.reaches('signalled', ({ substate }) => substate?.kind === 'signal');
    await this.reaches('forgotten', ({ substate }) => substate?.kind === 'signal');
    await this.reaches('queued', ({ status }) => status === 'queued');
    await until(
      'the slow step',
      30_000,
      async () => (await this.lines()).some((line) => line.startsWith('slow')) || undefined,
    );
    await this.call('PUT', '/vars/REGION', { value: 'us' });
    // Last: it must still sleep when the backup is taken.
    await begin('sleeping');
    await this.reaches('sleeping', ({ substate }) => substate?.kind === 'sleep');
  }
}

async function verify(t: Test, world: World): Promise<void> {
  const lines = await world.lines();
  const count = (beginning: string) => lines.filter((line) => line.startsWith(beginning)).length;
  for (const once of ['done', 'before', 'tired', 'awake', 'late']) t.equal(count(`${once} `), 1, `${once} ran once`);
  t.equal(count('opened open sesame in eu'), 1, 'the secret opens, and the variable has the value of the start');
  for (const twice of ['slow', 'repeated']) {
    const keys = lines.filter((line) => line.startsWith(`${twice} `));
    t.equal(keys.length, 2, `${twice} ran again`);
    t.equal(new Set(keys).size, 1, 'with the same idempotency key');
  }
  for (const name of Object.keys(SCRIPTS) as Name[])
    t.match(await world.submit(name), { duplicate: true }, `the idempotency key of ${name} holds`);
  t.match(await world.call('GET', `${world.path('finished')}`), { output: { ok: true } });
  t.match(await world.call('GET', '/schedules/yearly'), { cron: '0 0 1 1 *' });
  t.match(await world.call('GET', `${world.path('signalled')}/artifacts`), {
    artifacts: [{ path: 'out/a.txt', size: 6 }],
  });
  const { base_url, org, token } = world.target;
  const content = await fetch(
    `${base_url}/api/v1/orgs/${org}/projects/main${world.path('signalled')}/artifacts/out/a.txt`,
    {
      headers: { authorization: `Bearer ${token}` },
    },
  );
  t.equal(await content.text(), 'hello\n', 'the artifact is there');
  await world.call('POST', '/events', { type: 'tick' });
  await until('the handler', 60_000, async () => (await world.lines()).includes('handled') || undefined);
}
