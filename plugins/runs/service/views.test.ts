import t from 'tap';
import { type Claimed, JobEnvironments, type JournalRecord, RunEngine, RunStore } from '../contract.ts';
import type { RunFilter } from '../store/run-search.ts';
import { Database, type Resolve, Sealer } from '../../../kernel/contracts/index.ts';
import { RunMasks } from '../../masking/contract.ts';
import { parseRunFilter } from './run-filter.ts';
import { createRunViews } from './run-views.ts';
import { createStepViews } from './step-views.ts';
import { OTHER, SCOPE, STORES, withEngine } from '../../../test/kit/index.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const parts = (use: Resolve) => ({
  ...{ on: use(Database), sealer: use(Sealer), masks: use(RunMasks) },
  under_way: { of: async () => [] },
});
const runViews = (use: Resolve) => createRunViews({ ...parts(use), lease_ms: 1000 });
const stepViews = (use: Resolve) => createStepViews(parts(use));

const everything: RunFilter = parseRunFilter({}, 0);

const record = (position: number, output: string | Buffer, more: Partial<JournalRecord> = {}): JournalRecord => ({
  position,
  kind: 'step',
  name: `step${position}`,
  ordinal: 0,
  digest: '',
  exit_code: 0,
  output: Buffer.from(output as string).toString('base64'),
  started_at: 1_700_000_000_000,
  ...more,
});

const sleep = (position: number, timeout_ms: number) => ({
  position,
  kind: 'sleep',
  name: '1h',
  ordinal: 0,
  digest: '',
  timeout_ms,
  args: null,
  started_at: 1_700_000_000_000,
});

async function pages<T>(
  read: (cursor: string | undefined) => Promise<{ items: T[]; next_cursor?: string }>,
): Promise<T[][]> {
  const all: T[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    all.push(page.items);
    if (page.next_cursor === undefined) return all;
    cursor = page.next_cursor;
  }
}

for (const store of STORES) {
  t.test(`${store}: runs are listed newest first, by status, tag, workflow and time`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const engine = use(RunEngine);
      const views = runViews(use);
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) {
        const tags = i % 5 === 0 ? ['team:core', `n:${i}`] : [`n:${i}`];
        const run = await engine.submit(submit({ filename: i % 2 === 0 ? 'even.sh' : 'odd.sh', tags }));
        ids.unshift(run.run_id);
      }
      await engine.submit(submit({ ...OTHER, tags: ['team:core'] }));
      const list = async (filter: Partial<RunFilter>) =>
        (await views.list(SCOPE, { ...everything, ...filter })).runs.map((run) => run.run_id);
      t.same(await list({}), ids);
      const tagged = ids.filter((_, i) => (24 - i) % 5 === 0);
      t.same(await list({ tag: 'team:core' }), tagged);
      t.same(await list({ tag: 'team' }), []);
      t.same(await list({ tag: 'team:core ' }), [], 'bytes count');
      t.same((await list({ workflow: 'even.sh' })).length, 13);
      t.same(await list({ workflow: 'even.sh ' }), []);
      t.same(await list({ since: Date.now() + 60_000 }), []);
      t.equal((await list({ since: Date.now() - 60_000 })).length, 25);
      const first = await claim();
      t.same(await list({ statuses: ['running'] }), [first.run_id]);
      t.equal((await list({ statuses: ['queued', 'running'] })).length, 25);
      t.same(await list({ tag: 'team:core', workflow: 'odd.sh', statuses: ['queued'] }), [ids[9]!, ids[19]!]);
      const paged = await pages(async (cursor) => {
        const before = cursor && (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[])[0];
        const { runs, next_cursor } = await views.list(SCOPE, { ...everything, limit: 7, before });
        return { items: runs.map((run) => run.run_id), next_cursor };
      });
      t.same(
        paged.map((page) => page.length),
        [7, 7, 7, 4],
      );
      t.same(paged.flat(), ids);
    }),
  );

  t.test(`${store}: a run shows what it waits for, its notes and its output; a foreign one is not found`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const engine = use(RunEngine);
      const store = use(RunStore);
      const { run_id } = await engine.submit(submit({ subject: 'acme/app', tags: ['k:v'] }));
      const first = await claim();
      await store.annotate(first, 0, 'one');
      await store.annotate(first, 1, 'two');
      await store.park(first, sleep(0, 3_600_000));
      const waiting = await engine.read(SCOPE, run_id);
      t.equal(waiting.status, 'waiting');
      t.match(waiting.substate, { kind: 'sleep', name: '1h', deadline: ISO, since: ISO });
      t.same((await runViews(use).list(SCOPE, everything)).runs, [waiting], 'the list shows the same');
      t.same([waiting.annotations, waiting.subject, waiting.tags], [['one', 'two'], 'acme/app', ['k:v']]);
      for (const id of ['run_0', '', 'x y', 'rün', `${run_id} `])
        await t.rejects(engine.read(SCOPE, id), { code: 'not_found' }, JSON.stringify(id));
      await t.rejects(engine.read(OTHER, run_id), { code: 'not_found' });
      await t.rejects(stepViews(use).list(OTHER, run_id, { limit: 5, cursor: undefined }), { code: 'not_found' });
      const second = await engine.submit(submit());
      await store.complete(await claim(), { status: 'succeeded', output: { a: [1, null] } });
      const done = await engine.read(SCOPE, second.run_id);
      t.same([done.status, done.output, done.substate], ['succeeded', { a: [1, null] }, null]);
    }),
  );

  t.test(`${store}: a run that goes on while it is read is not shown as one that waits for nothing`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const engine = use(RunEngine);
      const { run_id } = await engine.submit(submit());
      await use(RunStore).park(await claim(), sleep(0, 3_600_000));
      const database = use(Database);
      let reads = 0;
      const on: Pick<Database, 'read' | 'sql' | 'now'> = {
        sql: database.sql,
        now: () => database.now(),
        async read(sql, params) {
          if (sql.includes('FROM runs_waits') && (reads += 1) === 1)
            await use(RunStore).cancelRun({ ...SCOPE, run_id, reason: 'enough' });
          return database.read(sql, params);
        },
      };
      const views = createRunViews({ ...parts(use), on, lease_ms: 1000 });
      t.match(await views.read(SCOPE, run_id), { status: 'cancelled', reason: 'enough' });
      t.equal(reads, 1);
    }),
  );

  t.test(`${store}: steps come in order with the open wait at the end, whatever the page`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const store = use(RunStore);
      const { run_id } = await use(RunEngine).submit(submit());
      const held = await claim();
      for (let i = 0; i < 23; i++)
        await store.append(held, record(i, `out ${i}\n`, i === 3 ? { exit_code: 2, message: 'broke' } : {}));
      await store.park(held, { ...sleep(23, 3_600_000), label: 'a nap' });
      for (const limit of [1, 5, 23, 24, 200]) {
        const paged = await pages(async (cursor) => {
          const { steps, next_cursor } = await stepViews(use).list(SCOPE, run_id, { limit, cursor });
          return { items: steps, next_cursor };
        });
        const steps = paged.flat();
        t.same(
          steps.map((step) => step.position),
          Array.from({ length: 24 }, (_, i) => i),
          `pages of ${limit}`,
        );
        t.ok(paged.every((page) => page.length <= limit && page.length > 0));
        t.equal(steps[3]!.recorded?.message, 'broke');
        t.equal(steps[22]!.recorded?.output.toString(), 'out 22\n');
        t.match(steps[23], { recorded: null, kind: 'sleep', label: 'a nap', activity: 'main', deadline: Number });
      }
    }),
  );

  t.test(`${store}: a page of steps is cut by its bytes, and none is lost`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      const store = use(RunStore);
      const { run_id } = await use(RunEngine).submit(submit());
      const held: Claimed = await claim();
      const large = Buffer.alloc(340 * 1024, 'x');
      for (let i = 0; i < 9; i++) await store.append(held, record(i, large));
      await store.append(held, record(9, 'small'));
      await store.park(held, sleep(10, 3_600_000));
      const paged = await pages(async (cursor) => {
        const { steps, next_cursor } = await stepViews(use).list(SCOPE, run_id, { limit: 200, cursor });
        return { items: steps.map((step) => step.position), next_cursor };
      });
      t.same(paged, [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8, 9, 10],
      ]);
    }),
  );

  t.test(`${store}: the environment of a job has the env of its submit`, (t) =>
    withEngine({ store }, async ({ use, submit, claim }) => {
      await use(RunEngine).submit(submit({ env: { A: '1', b: 'zwei' } }));
      t.same(await use(JobEnvironments).environment(await claim()), {
        below: [],
        workflow: { A: '1', b: 'zwei' },
        above: [],
        masks: [],
      });
    }),
  );
}
