import t from 'tap';
import {
  type Claimed,
  type ClaimRef,
  type Completion,
  type Json,
  type JournalRecord,
  RunEngine,
  RunStore,
} from '../../engine/runs/contract.ts';
import { Database } from '../../../kernel/contracts/index.ts';
import { bootEngine, checkRuns, type EngineServer, openTestDatabase, STORES } from '../../../test/kit/index.ts';

const LEASE_MS = 60_000;
const ref = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });
const text = (record: JournalRecord): string => Buffer.from(record.output, 'base64').toString();
const came = (exit_code: number, stdout = ''): Completion => ({
  status: 'succeeded',
  output: { exit_code, stdout: Buffer.from(stdout).toString('base64') },
});

/** Drives the verbs of a script, one call after the other. */
class Script {
  readonly world: EngineServer;
  claim: Claimed;
  position: number;
  readonly #ordinals = new Map<string, number>();

  constructor(world: EngineServer, claim: Claimed) {
    this.world = world;
    this.claim = claim;
    this.position = claim.journal.length;
  }

  get store(): RunStore {
    return this.world.use(RunStore);
  }

  #site(kind: string, name: string, args: Json) {
    const ordinal = this.#ordinals.get(`${kind} ${name}`) ?? 0;
    this.#ordinals.set(`${kind} ${name}`, ordinal + 1);
    return { position: this.position, kind, name, ordinal, digest: '', args, started_at: 0 };
  }

  async submit(name: string, requires: string[] = []): Promise<JournalRecord> {
    const args = { name, argv: ['true'], requires };
    const record = await this.store.perform(ref(this.claim), this.#site('activity-submit', name, args));
    this.position += 1;
    return record;
  }

  /** Returns the record of a wait, or undefined when the script is parked. */
  async wait(kind: string, name = '', args: Json = {}): Promise<JournalRecord | undefined> {
    const answer = await this.store.park(ref(this.claim), this.#site(kind, name, args));
    if ('parked' in answer) return undefined;
    this.position += 1;
    return answer.record;
  }

  activity(name: string, requires: string[] = []) {
    return this.wait('activity', name, { name, argv: ['true'], requires });
  }

  end(completion: Completion = { status: 'succeeded', output: { said: 'yes' } }): Promise<void> {
    return this.store.complete(ref(this.claim), completion);
  }

  read() {
    const { org_id, project_id, run_id } = this.claim;
    return this.world.use(RunEngine).read({ org_id, project_id }, run_id);
  }
}

async function claims(world: EngineServer, capabilities: string[] = []): Promise<Claimed[]> {
  return world.use(RunStore).claim({ agent_id: 'agt_far', capabilities }, 50, LEASE_MS);
}

async function begin(world: EngineServer): Promise<Script> {
  await world.use(RunEngine).submit(world.submit());
  const [claim, ...more] = await claims(world);
  if (!claim || more.length > 0) throw new Error('one script was to be claimed');
  return new Script(world, claim);
}

async function resumed(script: Script): Promise<JournalRecord> {
  const [claim, ...more] = await claims(script.world);
  if (claim?.activity_id !== script.claim.activity_id || more.length > 0)
    throw new Error('the script was to be claimed');
  script.claim = claim;
  script.position = claim.journal.length;
  return claim.journal.at(-1)!;
}

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const shared = await openTestDatabase(store);
    const world = await bootEngine({ database: shared, plugins: ['children'] });
    const other = await bootEngine({ database: shared, plugins: ['children'] });
    t.teardown(async () => {
      await world.close();
      await other.close();
      await shared.drop();
    });
    t.afterEach(async () => t.same(await checkRuns(world.use(Database)), [], 'the invariants hold'));

    t.test('a child whose every agent is lost fails in the end, and its parent goes on', async (t) => {
      const script = await begin(world);
      await script.submit('deadly');
      t.equal(await script.wait('activity-collect', 'deadly'), undefined, 'parked');
      for (let nth = 1; nth <= 25; nth++) {
        const [child, ...more] = await claims(world);
        t.match(child, { name: 'deadly', pass: nth - 1 });
        t.same(more, []);
        t.equal(await script.store.releaseAllBut('agt_far', []), 1);
      }
      const record = await resumed(script);
      t.match(record, { kind: 'activity-collect', exit_code: 1, message: /deadly .*lost 25 times.*activity_killed/s });
      await script.end();
      t.match(await script.read(), { status: 'succeeded' });
    });

    t.test('a child is claimed by who can take it, and collected before and after its end', async (t) => {
      const script = await begin(world);
      t.match(await script.submit('a', ['gpu']), { exit_code: 0, output: '' });
      await script.submit('b', ['gpu']);
      t.same(await claims(world), [], 'not by who lacks what it requires');
      const [a, b] = await claims(world, ['gpu']);
      t.match(a, { name: 'a', executor: 'command', spec: { argv: ['true'] }, pass: 0, journal: [] });
      await other.use(RunStore).complete(ref(a!), came(3, 'out\0'));
      const record = (await script.wait('activity-collect', 'a'))!;
      t.match(record, { exit_code: 3 });
      t.equal(text(record), 'out\0');
      t.equal(await script.wait('activity-collect', 'b'), undefined, 'parked');
      t.match(await script.read(), { status: 'waiting', substate: { kind: 'activity', name: 'b' } });
      t.same(await checkRuns(world.use(Database)), []);
      await other.use(RunStore).complete(ref(b!), came(0, 'b'));
      t.match(await resumed(script), { kind: 'activity-collect', name: 'b', exit_code: 0 });
      t.equal(text((await script.wait('activity-collect', 'a'))!), 'out\0', 'again');
      await script.end();
      t.match(await script.read(), { status: 'succeeded', output: { said: 'yes' }, annotations: [] });
    });

    t.test('what a child prints is found in the log by its name', async (t) => {
      const script = await begin(world);
      await script.submit('a');
      await script.submit('b');
      const children = await claims(world);
      for (const child of children) {
        const data = Buffer.from(`of ${child.name}\n`).toString('base64');
        await script.store.appendLogs(child, [{ n: 0, stream: 'stderr', at: 0, data }]);
      }
      const read = async (step: string) => {
        const path = `${world.scoped}/runs/${script.claim.run_id}/logs?step=${encodeURIComponent(step)}`;
        return (await fetch(world.url + path, { headers: { authorization: 'Bearer member' } })).text();
      };
      t.equal(await read('a'), 'of a\n');
      t.equal(await read('b#0'), 'of b\n');
      t.equal(await read('b#1'), '');
      for (const child of children) await script.store.complete(ref(child), came(0));
      await script.end();
    });

    t.test('names that are taken and names that nobody has are recorded as misuse', async (t) => {
      const script = await begin(world);
      await script.submit('a');
      t.match(await script.submit('a'), { exit_code: 2, message: /already used by the child at position 0/ });
      t.match(await script.activity('a'), { exit_code: 2 });
      t.match(await script.wait('activity-collect', 'nobody'), {
        exit_code: 2,
        message: /there is no child nobody/,
      });
      const [child, ...more] = await claims(world);
      t.equal(more.length, 0, 'there is one child');
      await world.use(RunStore).complete(ref(child!), came(0));
      await script.end();
      t.match(await script.read(), { status: 'succeeded', annotations: [/`a`: exit code 0/] });
    });

    t.test('all that were not collected are waited for, and the failures counted', async (t) => {
      const script = await begin(world);
      t.equal(text((await script.wait('activity-wait-all'))!), '0\n');
      for (const name of ['a', 'b', 'c']) await script.submit(name);
      const [a, b, c] = await claims(world);
      await world.use(RunStore).complete(ref(a!), came(9));
      await script.wait('activity-collect', 'a');
      t.equal(await script.wait('activity-wait-all'), undefined);
      await world
        .use(RunStore)
        .complete(ref(c!), { status: 'failed', code: 'executor_missing', message: 'no executor' });
      t.match(await script.read(), { status: 'waiting' });
      await other.use(RunStore).complete(ref(b!), came(0));
      const record = await resumed(script);
      t.match(record, { exit_code: 0, message: 'failed: c (exit code 1)' });
      t.equal(text(record), '1\n');
      await script.end();
      t.match(await script.read(), { status: 'succeeded', annotations: [] }, "its own failure is not the run's");
    });

    t.test('a run stays open until its children have ended, and says which nobody asked about', async (t) => {
      const script = await begin(world);
      await script.submit('left');
      const [child] = await claims(world);
      await script.end();
      t.match(await script.read(), { status: 'running' });
      await other.use(RunStore).complete(ref(child!), came(5));
      const { status, output, annotations } = await script.read();
      t.same([status, output], ['succeeded', { said: 'yes' }]);
      t.match(annotations, [/1 child was submitted and never collected:\n\n- `left`: exit code 5/]);
    });

    t.test('children end with a script that fails and with a run that is cancelled', async (t) => {
      const failing = await begin(world);
      await failing.submit('claimed');
      await failing.submit('pending', ['gpu']);
      const [child] = await claims(world);
      await failing.end({ status: 'failed', code: 'script_failed', message: 'exit code 3' });
      t.match(await failing.read(), { status: 'failed', error: { code: 'script_failed' }, annotations: [] });
      await t.rejects(world.use(RunStore).complete(ref(child!), came(0)), { code: 'lease_lost' });
      t.same(await claims(world, ['gpu']), []);

      const cancelled = await begin(world);
      t.equal(await cancelled.activity('long'), undefined);
      const [long] = await claims(world);
      const { org_id, project_id, run_id } = cancelled.claim;
      await world.use(RunStore).cancelRun({ org_id, project_id, run_id, reason: 'enough' });
      await t.rejects(world.use(RunStore).complete(ref(long!), came(0)), { code: 'lease_lost' });
      t.match(await cancelled.read(), { status: 'cancelled' });
    });

    t.test('a child whose claim is lost is claimed again, and only the last word counts', async (t) => {
      const script = await begin(world);
      t.equal(await script.activity('again'), undefined);
      const [first] = await claims(world);
      await world.use(RunStore).release(ref(first!));
      const [second] = await claims(other);
      t.equal(second!.activity_id, first!.activity_id);
      await t.rejects(world.use(RunStore).complete(ref(first!), came(1)), { code: 'lease_lost' });
      await other.use(RunStore).complete(ref(second!), came(0, 'second'));
      await other.use(RunStore).complete(ref(second!), came(0, 'second'));
      t.equal(text(await resumed(script)), 'second');
      await script.end();
    });

    t.test('a child that ends while its parent begins to wait leaves no parent waiting', async (t) => {
      for (let round = 0; round < 15; round++) {
        const script = await begin(world);
        await script.submit('a');
        const [child] = await claims(world);
        const kind = round % 2 === 0 ? 'activity-collect' : 'activity-wait-all';
        const [answer] = await Promise.all([
          script.wait(kind, round % 2 === 0 ? 'a' : ''),
          other.use(RunStore).complete(ref(child!), came(0, 'x')),
        ]);
        const record = answer ?? (await resumed(script));
        t.equal(record.exit_code, 0);
        await script.end();
        t.match(await script.read(), { status: 'succeeded', annotations: [] });
      }
    });

    t.test('what is no call is refused and leaves nothing', async (t) => {
      const script = await begin(world);
      const { store } = script;
      const call = { position: 0, kind: 'activity-submit', name: 'x', ordinal: 0, digest: '', started_at: 0 };
      const bad: Json[] = [
        null,
        {},
        { name: 'x', argv: ['a\0'], requires: [] },
        { name: '', argv: ['a'], requires: [] },
      ];
      for (const args of bad)
        await t.rejects(store.perform(ref(script.claim), { ...call, args }), { code: 'invalid_request' });
      await t.rejects(store.park(ref(script.claim), { ...call, kind: 'activity', args: { name: 'x' } }), {
        code: 'invalid_request',
      });
      t.same(await claims(world), []);
      await script.end();
    });
  });
