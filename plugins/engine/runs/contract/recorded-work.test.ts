import t from 'tap';
import { messageLog, systemClock, until } from '../../../../test/kit/index.ts';
import { RecordedWork } from './recorded-work.ts';

const says = { failing: 'work failed', recovered: 'work is done again' };
const wakeups = { topic: () => undefined, onTopic: () => () => undefined };

function setUp(count: number, carryOut: (item: number) => Promise<void>) {
  const recorded = new Set(Array.from({ length: count }, (_, i) => i));
  const pages: number[] = [];
  const { log, lines: messages } = messageLog();
  const work = new RecordedWork<number>({
    ...{ clock: systemClock, log, wakeups, topic: 'test.work', says },
    async due(after = -1, limit) {
      const page = [...recorded].filter((item) => item > after).slice(0, limit);
      pages.push(page.length);
      return page;
    },
    async carryOut(item) {
      await carryOut(item);
      recorded.delete(item);
    },
  });
  return { work, recorded, pages, messages };
}

t.test('a long list is read page by page, and items that fail hold up none of the others', async (t) => {
  let broken = true;
  const { work, recorded, pages, messages } = setUp(1000, async (item) => {
    if (broken && item < 200) throw new Error(`${item} cannot be done`);
  });
  const stop = work.start();
  await until(async () => recorded.size === 200, { what: 'the other items to be carried out' });
  t.ok(pages.length >= 1000 / 64, 'in pages');
  t.ok(Math.max(...pages) <= 64, 'none of them long');
  t.same(messages, ['work failed'], 'the failure is told once');
  broken = false;
  work.wake();
  await until(async () => recorded.size === 0, { what: 'what had failed' });
  await stop();
});

t.test('the end of a server does not wait for a long list', async (t) => {
  const first = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const { work, recorded } = setUp(1000, async () => {
    first.resolve();
    await open.promise;
  });
  const stop = work.start();
  await first.promise;
  const stopped = stop();
  open.resolve();
  await stopped;
  t.equal(recorded.size, 1000 - 64, 'the page that was begun is done, and no other');
});
