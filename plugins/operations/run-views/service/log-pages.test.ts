import t from 'tap';
import { VirtualClock } from '../../../../test/kit/index.ts';
import type { StoredLog } from '../../../engine/runs/contract.ts';
import { followLog, FollowThrottle } from './follow.ts';
import { LogPages } from './log-pages.ts';
import { readLog } from './read-log.ts';

const KIB = 1024;

/** A log with chunks of these sizes, and what was read of it. */
function stored(sizes: readonly number[]) {
  const chunks = sizes.map((size, n): StoredLog => {
    const data = Buffer.alloc(size, 'x');
    return { log_id: String(n), activity_id: 'act_1', stream: 'stdout', at: 0, pass: 1, data };
  });
  const state = { reads: 0, bytes: 0 };
  const logs = async (_: string, after: string | undefined, limit: number) => {
    const from = after === undefined ? 0 : Number(after) + 1;
    const found = chunks.slice(from, from + limit);
    state.reads += 1;
    state.bytes += bytesOf(found);
    return found;
  };
  return { chunks, state, logs };
}

const bytesOf = (chunks: readonly StoredLog[]): number => chunks.reduce((sum, { data }) => sum + data.length, 0);
const sizes = (count: number, size: number) => Array.from({ length: count }, () => size);

async function pagesOf(log: ReturnType<typeof stored>): Promise<StoredLog[][]> {
  const pages = new LogPages(log.logs, 'run_1', undefined);
  const read: StoredLog[][] = [];
  while (pages.hasMore) read.push(await pages.next());
  return read;
}

t.test('a page has few bytes, however large chunks are, and each chunk comes once', async (t) => {
  const mixed = [...sizes(40, 100), ...sizes(40, 32 * KIB), ...sizes(3, 0), ...sizes(50, 5 * KIB), 300 * KIB, 1];
  for (const log of [sizes(100, 32 * KIB), sizes(100, 100), mixed, sizes(4, 1), sizes(4, 32 * KIB), []].map(stored)) {
    const pages = await pagesOf(log);
    t.same(
      pages.flat().map(({ log_id }) => log_id),
      log.chunks.map(({ log_id }) => log_id),
    );
    for (const page of pages)
      t.ok(bytesOf(page.slice(0, -1)) < 128 * KIB, `${page.length} chunks have ${bytesOf(page)} bytes`);
  }
});

t.test('small chunks are read many at a time', async (t) => {
  const log = stored(sizes(3200, 100));
  await pagesOf(log);
  t.ok(log.state.reads <= 102, `${log.state.reads} reads`);
});

t.test('what was added since is read from where the reader is', async (t) => {
  const log = stored(sizes(5, 10));
  const pages = new LogPages(log.logs, 'run_1', '2');
  t.equal((await pages.next()).length, 2);
  t.notOk(pages.hasMore);
  log.chunks.push({ ...log.chunks[0]!, log_id: '5' });
  t.same(
    (await pages.next()).map(({ log_id }) => log_id),
    ['5'],
  );
  t.same(await pages.next(), []);
});

t.test('of a log that nobody reads on little is in memory', async (t) => {
  const large = () => stored(sizes(1000, 32 * KIB));
  const plain = large();
  const whole = await readLog(plain, 'run_1', {});
  await whole.next();
  t.ok(plain.state.bytes <= 128 * KIB, `${plain.state.bytes} bytes were read for the first`);
  await whole.return(undefined);
  const log = large();
  const clock = new VirtualClock();
  const parts = {
    logs: log.logs,
    clock,
    throttle: new FollowThrottle(clock),
    watcher: { watch: () => () => undefined },
    status: async () => 'succeeded' as const,
  };
  const followed = followLog(parts, 'run_1', undefined, new AbortController().signal, async () => undefined);
  await followed.next();
  t.match((await followed.next()).value, /^id: 0\n/);
  t.ok(log.state.bytes <= 128 * KIB, `${log.state.bytes} bytes were read for the first event`);
  await followed.return(undefined);
});
