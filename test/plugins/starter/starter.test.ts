import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunEngine, RunStore } from 'svc/runs';
import { bootEngine, STORES } from 'svc/testing';
import plugin from './plugin.ts';

for (const store of STORES)
  test(`${store}: what the verb counts is shown by the route`, async () => {
    const server = await bootEngine({ store, plugins: [plugin] });
    try {
      const apples = `GET ${server.scoped}/starter/apples`;
      assert.deepEqual((await server.call('viewer', apples)).json, { name: 'apples', counted: 0 });
      await server.use(RunEngine).submit(server.submit());
      const site = { position: 0, kind: 'starter-count', name: 'apples', ordinal: 0, digest: '', started_at: 0 };
      const record = await server.use(RunStore).perform(await server.claim(), { ...site, args: { name: 'apples' } });
      assert.equal(Buffer.from(record.output, 'base64').toString(), '1\n');
      assert.equal((await server.call('viewer', apples)).json.counted, 1);
      assert.equal((await server.call(undefined, apples)).status, 401);
    } finally {
      await server.close();
    }
  });
