import t from 'tap';
import { LiveServer } from '../../plugins/engine/live/testing/live-server.ts';
import { countReads, countWalked, STORES } from '../kit/index.ts';

/** Of the topics, and of what the server does in the background. */
const MOST_BYTES = 512 * 1024;
const LARGE = 'x'.repeat(1_500_000);
const NOTE = 'n'.repeat(30_000);

/** Pages of a SQLite file. */
const MOST_WALKED = 64;
const walking = countWalked();

t.setTimeout(600_000);

for (const store of STORES)
  t.test(
    `${store}: what pages are told while things change is not read with its contents`,
    { timeout: 600_000 },
    async (t) => {
      const live = await LiveServer.open({ store });
      t.teardown(() => live.close());
      const { server } = live;
      const counted = countReads(live.database);
      const run_id = await live.submit();
      const claim = await server.claim();
      for (let n = 0; n < 8; n++) await live.store.annotate(claim, n, NOTE);
      const stream = await live.ready(`runs,events,run:${run_id}`);
      const { result, walked } = await walking(() =>
        counted(async () => {
          await server.call('member', `POST ${server.scoped}/events`, { type: 'large', payload: LARGE });
          await live.store.complete(claim, { status: 'succeeded', output: LARGE });
          await stream.until(() => stream.of('event').some(({ data }) => data.type === 'large'));
          await stream.until(() => stream.of('run').filter(({ data }) => data.status === 'succeeded').length === 2);
        }),
      );
      t.ok(walked.pages < MOST_WALKED, `${walked.pages} pages, most for ${walked.largest.statement}`);
      const { reads } = result;
      const bytes = reads.bytes - reads.within_transactions;
      t.ok(bytes < MOST_BYTES, `${bytes} bytes, most for ${reads.largest.statement}`);
      const ended = stream.of('run').filter(({ data }) => data.status === 'succeeded');
      t.same(
        ended.map(({ data }) => data.annotations.length).toSorted((a, b) => a - b),
        [6, 8],
        'a list shows the first notes, the run itself all',
      );
      t.ok(ended.every(({ data }) => !('output' in data)));
    },
  );
