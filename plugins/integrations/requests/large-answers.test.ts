import t from 'tap';
import { longestHold, maxHoldMs } from '../../../test/kit/index.ts';
import { send } from '../../../features/support/far-end.ts';
import { http, RequestServer } from './testing/request-server.ts';

t.setTimeout(600_000);

const BYTES = 2040 * 1024;
const list = (items: string): string => `[${items.repeat(Math.floor(BYTES / items.length))}0]`;

/** Values of nearly 2 MiB that cost much to read, to store and to give to expressions. */
const ANSWERS: Readonly<Record<string, string>> = {
  'empty lists': list('[],'),
  'long decimals': list('0.1234567890123456789,'),
  'zeros below zero': list('-0,'),
  'numbers beyond doubles': list('1e400,'),
  'pairs of decimals': list('[0.10,51.5],'),
  'decimals in lists of their own': list('[1.0],'),
  'members that end in 0': `{${Array.from({ length: 49_000 }, (_, n) => `"k${n}":1.0`).join()}}`,
};
/** Those that cost the most. */
const COSTLIEST = ['zeros below zero', 'numbers beyond doubles', 'pairs of decimals', 'members that end in 0'];

t.test('no answer of another system holds the event loop', async (t) => {
  const requests = await RequestServer.open('sqlite');
  t.teardown(() => requests.close());
  const answer = (body: string) =>
    requests.answering((_seen, response) => send(response, 200, { 'content-type': 'application/json' }, body));
  const request = async (times: number) => {
    const nodes = [http({ url: requests.far.url('/') })];
    const runs = await Promise.all(Array.from({ length: times }, () => requests.submit(nodes)));
    await Promise.all(runs.map((run) => requests.over(run)));
  };
  /** The least of a few, because some turn also collects the garbage of those before it. */
  const heldBy = async (what: string, times: number) => {
    const bound = maxHoldMs();
    let ms = Infinity;
    for (let tried = 0; tried < 3 && ms > bound; tried += 1)
      ms = Math.min(ms, (await longestHold(() => request(times))).ms);
    t.ok(ms <= bound, `${times} × ${what}: ${ms.toFixed(0)} ms of ${bound.toFixed(0)}`);
    t.equal(requests.far.seen.length > 0, true);
  };
  answer('{}');
  await request(1);
  for (const [name, body] of Object.entries(ANSWERS)) {
    answer(body);
    await heldBy(name, 1);
    if (COSTLIEST.includes(name)) await heldBy(name, 8);
  }
});
