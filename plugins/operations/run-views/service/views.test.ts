import t from 'tap';
import type { Resolve } from '../../../../kernel/contracts/index.ts';
import {
  type Claimed,
  type JournalRecord,
  RunEngine,
  type RunFilter,
  RunReader,
  RunStore,
} from '../../../engine/runs/contract.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import { parseRunFilter } from './run-filter.ts';
import { RunLists } from './run-lists.ts';
import { StepViews } from './step-views.ts';
import { OTHER, SCOPE, STORES, withEngine } from '../../../../test/kit/index.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const runLists = (use: Resolve) => new RunLists(use(RunReader), use(RunMasks));
const stepViews = (use: Resolve) => new StepViews(use(RunReader), use(RunMasks));

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
  read: (cursor: string | undefined) => Promise<{ items: T[]; next_cursor: string | undefined }>,
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
      const lists = runLists(use);
      const ids: string[] = [];
      for (let i = 0; i < 25; i++) {
        const tags = i % 5 === 0 ? ['team:core', `n:${i}`] : [`n:${i}`];
        const run = await engine.submit(submit({ filename: i % 2 === 0 ? 'even.sh' : 'odd.sh', tags }));
        ids.unshift(run.run_id);
      }
      await engine.submit(submit({ ...OTHER, tags: ['team:core'] }));
      const list = async (filter: Partial<RunFilter>) =>
        (await lists.list(SCOPE, { ...everything, ...filter })).runs.map((run) => run.run_id);
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
        const { runs, next_cursor } = await lists.list(SCOPE, { ...everything, limit: 7, before });
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
      t.same((await runLists(use).list(SCOPE, everything)).runs, [waiting], 'the list shows the same');
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
}
