import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createIds, systemClock } from '../../../../test/kit/index.ts';
import { DiskStore } from './disk.ts';

const ids = createIds(systemClock);

t.test('servers that start at once agree on the id of a folder, and leave nothing else', async (t) => {
  for (let round = 0; round < 20; round += 1) {
    const folder = join(t.testdir({}), String(round));
    const opened = await Promise.all(Array.from({ length: 16 }, () => DiskStore.open(folder, ids)));
    t.equal(new Set(opened.map(({ id }) => id)).size, 1);
    t.same(readdirSync(folder), ['store-id']);
    t.equal((await DiskStore.find(folder))?.id, opened[0]?.id);
  }
});

t.test('a server that was killed while it named the folder stops nobody', async (t) => {
  const folder = t.testdir({});
  writeFileSync(join(folder, `store-id.${ids.next('disk')}`), '');
  const { id } = await DiskStore.open(folder, ids);
  t.equal((await DiskStore.open(folder, ids)).id, id);
});

t.test('a folder whose name is broken is not used', async (t) => {
  const folder = t.testdir({ 'store-id': 'something else' });
  await t.rejects(DiskStore.open(folder, ids), { code: 'artifact_store_unavailable' });
});
