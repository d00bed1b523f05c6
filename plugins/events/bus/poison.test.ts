import t from 'tap';
import { boot, longestHold, maxHoldMs, STORES } from '../../../test/kit/index.ts';

const many = (count: number, member: (index: number) => string) => Array.from({ length: count }, (_, n) => member(n));
const POISON: Readonly<Record<string, string>> = {
  'one object of 49,000 members': `{${many(49_000, (n) => `"k${n}":${n}`).join()}}`,
  'objects that have no shape in common': `[${many(24_000, (n) => `{"k${n}":1,"j${n}":2}`).join()}]`,
  'a million numbers': `[${many(1_000_000, () => '1').join()}]`,
  'half a million lists': `[${many(500_000, () => '[]').join()}]`,
  'escapes alone': `"${'\\u0001'.repeat(340_000)}"`,
};

for (const store of STORES)
  t.test(`${store}: what is slow to read is read in pieces`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const { json: hook } = await server.call('admin', `PUT ${server.scoped}/event-hooks/in`, {});
    const headers = { 'x-svc-hook-secret': hook.secret as string, 'content-type': 'application/json' };
    const slow = [
      'size(event.payload) > 10000000',
      'size(event.payload.body) > 10000000',
      'event.payload.exists(x, x == "none")',
      'event.payload == event.payload',
      'event.payload.all(x, event.payload[x] >= 0)',
    ];
    for (let n = 0; n < 15; n++) {
      // No two texts are equal.
      const [name, when] = [`slow-${n}`, `${slow[n % slow.length]} && ${n} < 0`];
      const body = { on: ['poison', 'hook.in'], when, source: 'true', filename: 'job.sh' };
      t.equal((await server.call('member', `PUT ${server.scoped}/handlers/${name}`, body)).status, 201);
    }
    for (const [what, poison] of Object.entries(POISON)) {
      const emitted = await longestHold(() =>
        server.call('member', `POST ${server.scoped}/events`, `{"type":"poison","payload":${poison}}`),
      );
      t.equal(emitted.result.status, 201, `${what} is emitted`);
      t.ok(emitted.ms < maxHoldMs(), `${what}: ${emitted.ms} ms at most to emit it`);
      const delivered = await longestHold(() => fetch(hook.ingest_url, { method: 'POST', headers, body: poison }));
      t.equal(delivered.result.status, 202, `${what} is delivered`);
      t.ok(delivered.ms < maxHoldMs(), `${what}: ${delivered.ms} ms at most to take its delivery`);
      const listed = await longestHold(() => server.call('viewer', `GET ${server.scoped}/event-types`));
      t.ok(listed.ms < maxHoldMs(), `${what}: ${listed.ms} ms at most to show a sample of it`);
    }
  });
