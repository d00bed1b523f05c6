import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunEngine, RunStore } from 'svc/runs';
import { bootEngine, STORES } from 'svc/testing';
import greeter from './plugin.ts';

for (const store of STORES)
  test(`${store}: a greeting is counted with the verb and shown by the route`, async () => {
    const server = await bootEngine({ store, plugins: [greeter] });
    try {
      const greetings = `GET ${server.scoped}/greetings/ana`;
      const before = await server.call('viewer', greetings);
      assert.deepEqual(before.json, { greeting: 'Hello ana, this is main', greeted: 0 });
      const { run_id } = await server.use(RunEngine).submit(server.submit());
      const site = { position: 0, kind: 'greet', name: 'ana', ordinal: 0, digest: '', started_at: 0 };
      const record = await server.use(RunStore).perform(await server.claim(), { ...site, args: { name: 'ana' } });
      assert.equal(Buffer.from(record.output, 'base64').toString(), `Hello ana from ${run_id}\n`);
      assert.equal((await server.call('viewer', greetings)).json.greeted, 1);
      assert.equal((await server.call(undefined, greetings)).status, 401);
    } finally {
      await server.close();
    }
  });
