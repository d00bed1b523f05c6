import t from 'tap';
import { type Claimed, RunEngine, RunStore } from '../../engine/runs/contract.ts';
import { chunk, events, follow } from './testing/follower.ts';
import { bootEngine, type EngineServer, openTestDatabase, STORES, withEngine } from '../../../test/kit/index.ts';

const submitRun = async (server: EngineServer): Promise<string> =>
  (await server.use(RunEngine).submit(server.submit())).run_id;

for (const store of STORES) {
  t.test(`${store}: a followed log resumes without loss or repeat, and ends with the status`, (t) =>
    withEngine({ store }, async (world) => {
      const run_id = await submitRun(world);
      const url = `${world.url}${world.scoped}/runs/${run_id}/logs?follow=true`;
      const store = world.use(RunStore);
      const claim: Claimed = await world.claim();
      const writing = (async () => {
        for (let n = 0; n < 300; n++) await store.appendLogs(claim, [chunk(n)]);
      })();
      const seen: string[] = [];
      let last: string | undefined;
      for (let round = 1; round <= 5; round++) {
        const follower = follow(url, last);
        const text = await follower.until((all) => events(all).length >= Math.min(40, 300 - seen.length));
        follower.cut();
        await follower.closed;
        for (const { id, data } of events(text)) {
          seen.push(data.text!);
          last = id;
        }
      }
      await writing;
      const whole = follow(url);
      const rest = follow(url, last);
      await rest.until((all) => events(all).length + seen.length >= 300);
      await store.complete(claim, { status: 'failed', code: 'script_failed', message: 'exit 1' });
      await Promise.all([rest.closed, whole.closed]);
      const tail = events(rest.text());
      t.same(tail.at(-1), { id: undefined, event: 'end', data: { status: 'failed' } });
      for (const { data } of tail.slice(0, -1)) seen.push(data.text!);
      const lines = Array.from({ length: 300 }, (_, n) => `line ${n}\n`);
      t.same(seen, lines);
      t.same(
        events(whole.text())
          .slice(0, -1)
          .map(({ data }) => data.text),
        lines,
        'another follower saw the same',
      );
      const plain = await world.call('member', `GET ${world.scoped}/runs/${run_id}/logs`);
      t.equal(plain.text, lines.join(''));
      t.equal(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
      t.equal(
        (
          await world.call('member', `GET ${world.scoped}/runs/${run_id}/logs?follow=true`, undefined, {
            'last-event-id': 'x',
          })
        ).status,
        400,
      );
    }),
  );

  t.test(`${store}: what one server stores is followed on another`, async (t) => {
    const shared = await openTestDatabase(store);
    const one = await bootEngine({ database: shared });
    const two = await bootEngine({ database: shared });
    try {
      const { run_id } = await one.use(RunEngine).submit(one.submit());
      const follower = follow(`${two.url}${two.scoped}/runs/${run_id}/logs?follow=true`);
      await follower.until((text) => text.includes(': connected'));
      const claim = await one.claim();
      for (let n = 0; n < 3; n++) {
        await one.use(RunStore).appendLogs(claim, [chunk(n)]);
        await follower.until((text) => events(text).length === n + 1);
      }
      await one.use(RunStore).complete(claim, { status: 'succeeded', output: null });
      await follower.closed;
      t.same(
        events(follower.text()).map(({ data }) => data.text ?? data.status),
        ['line 0\n', 'line 1\n', 'line 2\n', 'succeeded'],
      );
    } finally {
      await one.close();
      await two.close();
      await shared.drop();
    }
  });

  t.test(`${store}: a log says its passes and sites, and can be read in part`, (t) =>
    withEngine({ store }, async (world) => {
      const run_id = await submitRun(world);
      const store = world.use(RunStore);
      const claim: Claimed = await world.claim();
      await store.appendLogs(claim, [chunk(0), { ...chunk(1), site: 'build#0' }, chunk(2)]);
      const read = async (query: string) =>
        (await world.call('member', `GET ${world.scoped}/runs/${run_id}/logs?${query}`)).text;
      t.equal(await read('step=build'), 'line 1\n');
      t.equal(await read('step=build%230'), 'line 1\n');
      t.equal(await read('step=buil'), '');
      t.equal(await read('pass=last&tail=2'), 'line 1\nline 2\n');
      t.equal(await read('pass=2'), '');
      t.equal(await read('grep=1'), 'line 1\n');
      const follower = follow(`${world.url}${world.scoped}/runs/${run_id}/logs?follow=true&tail=1`);
      await follower.until((text) => events(text).length === 1);
      await store.appendLogs(claim, [{ ...chunk(3), site: 'test#0' }]);
      await follower.until((text) => events(text).length === 2);
      follower.cut();
      t.match(
        events(follower.text()).map(({ data }) => data),
        [
          { text: 'line 2\n', pass: 1 },
          { text: 'line 3\n', pass: 1, site: 'test#0' },
        ],
      );
    }),
  );

  t.test(`${store}: a hundred followers of a silent run end when the server is stopping`, async (t) => {
    const world = await bootEngine({ store });
    const base = world.url + world.scoped;
    const headers = { authorization: 'Bearer member', 'content-type': 'application/json' };
    const made = await fetch(`${base}/runs`, { method: 'POST', headers, body: '{"source":"x"}' });
    const { run_id } = (await made.json()) as { run_id: string };
    const followers = Array.from({ length: 100 }, () => follow(`${base}/runs/${run_id}/logs?follow=true`));
    await Promise.all(followers.map((follower) => follower.until((text) => text.includes(': connected'))));
    const claim = await world.claim();
    await world.use(RunStore).appendLogs(claim, [chunk(0)]);
    await Promise.all(followers.map((follower) => follower.until((text) => events(text).length === 1)));
    await world.close();
    await Promise.all(followers.map((follower) => follower.closed));
    t.ok(
      followers.every((follower) => events(follower.text()).every(({ event }) => event === 'log')),
      'none is told an end',
    );
  });
}
