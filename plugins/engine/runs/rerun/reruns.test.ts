import t from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import { OPERATOR } from '../../../platform/audit/contract.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import { type Claimed, type ClaimRef, type Json, RunEngine, RunStore } from '../contract.ts';
import { makeReruns } from '../service/register.ts';
import { checkRuns, type EngineServer, SCOPE, STORES, withEngine } from '../../../../test/kit/index.ts';

const ref = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });

const step = (position: number, name: string, output: string, ordinal = 0) => ({
  ...{ position, kind: 'step', name, ordinal, digest: 'd', label: `${name}!`, exit_code: 0, started_at: 7 },
  output: Buffer.from(output).toString('base64'),
});

const state = (position: number, args: Json) => ({
  ...{ position, kind: 'state', name: `call ${position}`, ordinal: 0, digest: '', args, started_at: 0 },
});

async function begin(world: EngineServer, more: Parameters<EngineServer['submit']>[0] = {}): Promise<Claimed> {
  await world.use(RunEngine).submit(world.submit(more));
  return world.claim();
}

const end = (world: EngineServer, claim: Claimed) =>
  world.use(RunStore).complete(ref(claim), { status: 'succeeded', output: null });

const bound = (of: object, name: PropertyKey): unknown => {
  const member: unknown = Reflect.get(of, name, of);
  return typeof member === 'function' ? member.bind(of) : member;
};

const rerun = (world: EngineServer, run_id: string, from?: string) =>
  makeReruns(world.use).rerun({ ...SCOPE, run_id, from, by: OPERATOR });

for (const store of STORES) {
  t.test(`${store}: a rerun is the same run, under another id`, (t) =>
    withEngine({ store }, async (world) => {
      const more = {
        ...{ filename: 'a.sh', source: 'echo', input: { n: [1, null] }, env: { A: '1' }, tags: ['x', 'k:v'] },
        ...{ subject: 'acme/site', requires: ['linux'], interpreter: 'bash', generation: 3, trusted: false },
        ...{ trigger: { type: 'deploy', sha: 'abc' }, envelope: { type: 'deploy', event: 'evt_1', payload: [2] } },
        triggered: true,
      };
      const first = await begin(world, { ...more, idempotency_key: 'once' });
      await end(world, first);
      const { run_id } = await rerun(world, first.run_id);
      t.not(run_id, first.run_id);
      const again = await world.claim();
      t.same(again.envelope, first.envelope);
      t.same(again.spec, first.spec);
      t.same([again.pass, again.journal], [0, []]);
      const engine = world.use(RunEngine);
      const [old, made] = [await engine.read(SCOPE, first.run_id), await engine.read(SCOPE, run_id)];
      t.equal(made.rerun_of, first.run_id);
      for (const member of [
        'kind',
        'workflow',
        'tags',
        'subject',
        'trigger',
        'trusted',
        'generation',
        'requires',
      ] as const)
        t.same(made[member], old[member], member);
      await end(world, again);
      const audited = await world
        .use(Database)
        .read<{ subject: string; detail: string }>(
          `SELECT subject, detail FROM audit_entries WHERE action = 'run.rerun'`,
        );
      t.same(audited, [{ subject: first.run_id, detail: `as ${run_id}` }]);
      t.same(await checkRuns(world.use(Database)), []);
    }),
  );

  t.test(`${store}: a repeated rerun with the same key is the first one, of that run alone`, (t) =>
    withEngine({ store }, async (world) => {
      const [first, other] = [await begin(world), await begin(world)];
      for (const claim of [first, other]) await end(world, claim);
      const again = ({ run_id }: { run_id: string }, key: string, from?: string) =>
        makeReruns(world.use).rerun({ ...SCOPE, run_id, from, key, by: OPERATOR });
      const made = await Promise.all([again(first, 'k'), again(first, 'k')]);
      t.equal(made[0]!.run_id, made[1]!.run_id);
      t.same(made.map(({ duplicate }) => duplicate).toSorted(), [false, true]);
      t.match(await again(first, 'k'), { run_id: made[0]!.run_id, duplicate: true });
      t.notMatch((await again(other, 'k')).run_id, made[0]!.run_id);
      t.notMatch((await again(first, 'l')).run_id, made[0]!.run_id);
      const { count } = (
        await world
          .use(Database)
          .read<{ count: number }>(`SELECT COUNT(*) AS count FROM audit_entries WHERE action = 'run.rerun'`)
      )[0]!;
      t.equal(count, 3);
      t.same(await checkRuns(world.use(Database)), []);
    }),
  );

  t.test(`${store}: large outputs before a site are copied a few at a time`, (t) =>
    withEngine({ store }, async (world) => {
      const first = await begin(world);
      const [count, output] = [20, 'x'.repeat(400_000)];
      for (let n = 0; n < count; n++) await world.use(RunStore).append(ref(first), step(n, 's', output, n));
      await world.use(RunStore).append(ref(first), step(count, 'here', 'x'));
      await end(world, first);

      const database = world.use(Database);
      const transaction = database.transaction.bind(database);
      let most = 0;
      database.transaction = (work) =>
        transaction((tx) => {
          const read = tx.read.bind(tx);
          const reading: typeof tx.read = async <Row>(...query: Parameters<typeof tx.read>) => {
            const rows = await read<Row>(...query);
            const cells = rows.flatMap((row) => Object.values(row as object));
            const bytes = cells.reduce((sum: number, cell) => sum + (Buffer.isBuffer(cell) ? cell.length : 0), 0);
            most = Math.max(most, bytes);
            return rows;
          };
          return work(new Proxy(tx, { get: (of, name) => (name === 'read' ? reading : bound(of, name)) }));
        });
      await rerun(world, first.run_id, 'here');
      Object.assign(database, { transaction });
      t.ok(most > 400_000 && most < 2_000_000, `${most} bytes in one statement`);
      const again = await world.claim();
      t.equal(again.journal.length, count);
      t.ok(again.journal.every((record) => Buffer.from(record.output, 'base64').toString() === output));
      await end(world, again);
    }),
  );

  t.test(`${store}: records before a site go along, sealed for their new place`, (t) =>
    withEngine({ store }, async (world) => {
      const first = await begin(world);
      const runs = world.use(RunStore);
      for (let position = 0; position < 150; position++)
        await runs.append(ref(first), step(position, 's', `out ${position}\0`, position));
      await runs.perform(ref(first), state(150, { op: 'set', key: 'a', value: 'one' }));
      await runs.perform(ref(first), state(151, { op: 'set', key: 'b', value: 'gone' }));
      await runs.perform(ref(first), state(152, { op: 'delete', key: 'b' }));
      await runs.append(ref(first), step(153, 'here', 'x'));
      await runs.perform(ref(first), state(154, { op: 'set', key: 'a', value: 'two' }));
      const scope = { org_id: SCOPE.org_id, project_id: SCOPE.project_id };
      await world.use(RunMasks).remember({ ...scope, run_id: first.run_id }, ['out 149']);
      await end(world, first);

      const { run_id } = await rerun(world, first.run_id, 'here');
      const second = await world.claim();
      t.equal(second.run_id, run_id);
      t.equal(second.pass, 1, 'it counts as a pass');
      t.same(
        second.journal.slice(0, 150),
        Array.from({ length: 150 }, (_, n) => step(n, 's', `out ${n}\0`, n)),
      );
      t.equal(second.journal.length, 153);
      const get = async (position: number, key: string) => {
        const { output } = await runs.perform(ref(second), state(position, { op: 'get', key }));
        return Buffer.from(output, 'base64').toString();
      };
      t.equal(await get(153, 'a'), 'one\n');
      t.equal(await get(154, 'b'), '');
      const { json } = await world.call('viewer', `GET ${world.scoped}/runs/${run_id}/steps?limit=200`);
      t.equal(json.steps[149].stdout, '***\0', 'what the first run was given is masked here too');
      await end(world, second);

      const third = await rerun(world, run_id, 's#150').catch((error: Error) => error.message);
      t.match(third, /similar sites/);
      await rerun(world, run_id, 'call 152');
      const last = await world.claim();
      t.equal(last.journal.length, 152, 'a rerun of a rerun');
      const cells = await runs.perform(ref(last), state(152, { op: 'list' }));
      t.equal(Buffer.from(cells.output, 'base64').toString(), 'a\nb\n');
      await end(world, last);
      await rerun(world, run_id, 's#0');
      t.same((await world.claim()).journal, []);
      t.same(await checkRuns(world.use(Database)), []);
    }),
  );

  t.test(`${store}: a run that is pruned meanwhile is not copied in part`, (t) =>
    withEngine({ store }, async (world) => {
      const first = await begin(world);
      await world.use(RunStore).append(ref(first), step(0, 'a', ''));
      await world.use(RunStore).append(ref(first), step(1, 'b', ''));
      await end(world, first);
      const real = world.use(RunMasks);
      const remember: typeof real.remember = async (...given) => {
        await world.use(Database).write('DELETE FROM runs_runs WHERE run_id = ?', [first.run_id]);
        return real.remember(...given);
      };
      const use = Object.assign((token: never) => ((token as unknown) === RunMasks ? { remember } : world.use(token)), {
        all: world.use.all,
      }) as unknown as typeof world.use;
      await t.rejects(makeReruns(use).rerun({ ...SCOPE, run_id: first.run_id, from: 'b', by: OPERATOR }), {
        code: 'not_found',
      });
      t.same(await world.use(Database).read('SELECT run_id FROM runs_runs'), []);
    }),
  );

  t.test(`${store}: what cannot be rerun leaves nothing`, (t) =>
    withEngine({ store }, async (world) => {
      const first = await begin(world);
      await t.rejects(rerun(world, first.run_id), { code: 'run_unfinished' });
      await world.use(RunStore).append(ref(first), step(0, 'a', ''));
      await end(world, first);
      await t.rejects(rerun(world, first.run_id, 'b'), { code: 'invalid_request', message: /similar sites: a#0/ });
      await t.rejects(rerun(world, 'run_absent'), { code: 'not_found' });
      const foreign = { ...SCOPE, project_id: 'prj_2', run_id: first.run_id, from: undefined, by: OPERATOR };
      await t.rejects(makeReruns(world.use).rerun(foreign), { code: 'not_found' });
      const rows = await world.use(Database).read<{ n: number }>('SELECT COUNT(*) AS n FROM runs_runs');
      t.equal(Number(rows[0]!.n), 1);
    }),
  );
}
