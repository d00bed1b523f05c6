import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import type { ClaimRef } from '../../engine/runs/contract.ts';
import { ActivityTransfers } from '../agents/contract.ts';
import { digest, filesIn, strays } from './testing/files.ts';
import { openWorld, type World } from './testing/world.ts';

t.setTimeout(600_000);

const LATER_MS = 60_000;

const fileOf = (text: string) => ({
  size: text.length,
  digest: digest(text),
  async *read(from: number) {
    yield Buffer.from(text).subarray(from);
  },
});

function filesOf({ server }: World, { activity_id, epoch }: ClaimRef) {
  const sender = server.use.all(ActivityTransfers).find((transfer) => 'files' in transfer);
  return sender!.files({ claim: { activity_id, epoch }, signal: new AbortController().signal });
}

async function claimed(world: World): Promise<ClaimRef & { run_id: string }> {
  await world.server.agent.work();
  await world.submit();
  return world.claim();
}

/** Saves a text as a cache; answers whether the key was free. */
async function save(world: World, claim: ClaimRef, key: string, text: string): Promise<boolean> {
  const files = filesOf(world, claim);
  const { upload_id } = await files.stage(`.svc-cache-${key}`, fileOf(text));
  return files.saveCache(key, upload_id);
}

async function keysOf({ server }: World): Promise<string[]> {
  const { json } = await server.call('viewer', `GET ${server.scoped}/caches`);
  return json.caches.map(({ key }: { key: string }) => key);
}

async function aKeyIsSavedOnce(t: Test, world: World): Promise<void> {
  const claim = await claimed(world);
  const files = filesOf(world, claim);
  t.ok(await save(world, claim, 'k', 'first'));
  t.notOk(await save(world, claim, 'k', 'second'), 'the key is taken');
  t.match(await files.findCache('k', false), { key: 'k', size: 5, digest: `sha256:${digest('first')}` });
  t.ok(await save(world, claim, 'k2', 'newer'));
  t.match(await files.findCache('k', true), { key: 'k2' }, 'the newest with this beginning');
  t.equal(await files.findCache('K', true), undefined, 'keys are compared byte by byte');
  await t.rejects(files.saveCache('k3', 'art_NONE'), { code: 'artifact_upload_taken' });
  const { upload_id } = await files.stage('x', fileOf('x'));
  await world.server.agent.end(claim);
  await t.rejects(files.saveCache('k3', upload_id), { code: 'lease_lost' });
  await t.rejects(files.findCache('k', false), { code: 'lease_lost' });
  await world.sweep();
  t.same(await strays(world.server, world.folder), [], 'the content that nobody needs is gone');
  t.same(await keysOf(world), ['k', 'k2']);
}

async function tooLargeOnesLeaveNothing(t: Test, world: World): Promise<void> {
  const claim = await claimed(world);
  await t.rejects(save(world, claim, 'k', 'x'.repeat(11)), { code: 'cache_too_large' });
  t.ok(await save(world, claim, 'k', 'x'.repeat(10)));
  t.ok(await save(world, claim, 'l', 'x'.repeat(5)));
  t.same(await keysOf(world), ['l'], 'the older one made room');
  await world.server.agent.end(claim);
  await world.sweep();
  t.same(await strays(world.server, world.folder), []);
  t.equal((await filesIn(world.folder)).length, 1);
}

async function agentsUseThemOverHttp(t: Test, world: World): Promise<void> {
  const claim = await claimed(world);
  const { server } = world;
  const at = `/api/v1/agents/activities/${claim.activity_id}`;
  const held = `epoch=${claim.epoch}`;
  t.match(await server.call('agent', `GET ${at}/cache?${held}&key=k&prefix=true`), {
    status: 200,
    json: { key: 'k2', size: 5, trusted: true },
  });
  t.match(await server.call('agent', `GET ${at}/cache-content?${held}&key=k`), { status: 200, text: 'first' });
  t.match(await server.call('agent', `GET ${at}/cache-content?${held}&key=k`, undefined, { range: 'bytes=2-' }), {
    status: 206,
    text: 'rst',
  });
  t.equal((await server.call('agent', `GET ${at}/cache?${held}&key=none`)).status, 404);
  t.equal((await server.call('member', `GET ${at}/cache?${held}&key=k`)).status, 403);
  const { upload_id } = await filesOf(world, claim).stage('y', fileOf('over http'));
  const saved = await server.call('agent', `POST ${at}/cache?${held}`, { key: 'k/3', upload_id });
  t.match(saved, { status: 200, json: { saved: true } });
  const stale = `POST ${at}/cache?epoch=${claim.epoch + 1}`;
  t.match(await server.call('agent', stale, { key: 'k4', upload_id }), { status: 409, json: { code: 'lease_lost' } });
  const page = await server.call('viewer', `GET ${server.scoped}/caches?limit=2`);
  t.same(
    page.json.caches.map(({ key }: { key: string }) => key),
    ['k', 'k/3'],
  );
  const next = await server.call('viewer', `GET ${server.scoped}/caches?cursor=${page.json.next_cursor}`);
  t.match(next.json.caches, [{ key: 'k2', run_id: /^run_/ }]);
  t.equal((await server.call('viewer', `DELETE ${server.scoped}/caches/k/3`)).status, 403);
  t.equal((await server.call('member', `DELETE ${server.scoped}/caches/k/3`)).status, 204);
  t.equal((await server.call('member', `DELETE ${server.scoped}/caches/k/3`)).status, 404);
  await server.agent.end(claim);
}

async function unusedOnesArePruned(t: Test, world: World): Promise<void> {
  const database = world.server.use(Database);
  const claim = await claimed(world);
  const hours = 2 * 3_600_000;
  await database.write('UPDATE artifacts_caches SET used_at = used_at - ?', [hours]);
  await filesOf(world, claim).findCache('k2', false);
  const prunable = world.server.use.all(Prunables).find(({ name }) => name === 'caches')!;
  for await (const _ of prunable.prune(database.now() - LATER_MS, 1));
  t.same(await keysOf(world), ['k2'], 'a use within the time keeps it');
  for await (const _ of prunable.prune(database.now() + LATER_MS, 1));
  t.same(await keysOf(world), []);
  await world.server.agent.end(claim);
  await world.sweep();
  t.same(await strays(world.server, world.folder), []);
}

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const world = await openWorld(t, { store });
    await t.test('a key is saved once', (t) => aKeyIsSavedOnce(t, world));
    await t.test('agents use them over HTTP', (t) => agentsUseThemOverHttp(t, world));
    await t.test('unused ones are pruned', (t) => unusedOnesArePruned(t, world));
    const small = await openWorld(t, { store, env: { SVC_PROJECT_LIMITS: 'cache=10B' } });
    await t.test('too large ones leave nothing', (t) => tooLargeOnesLeaveNothing(t, small));
  });
