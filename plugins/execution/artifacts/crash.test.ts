import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { openTestDatabase, type Store, STORES } from '../../../test/kit/index.ts';
import { isLong, storesOf } from '../../../test/support/length.ts';
import { PART_BYTES } from './domain/parts.ts';
import { digest, filesIn, noise, reprDigest, strays } from './testing/files.ts';
import { openWorld } from './testing/world.ts';

t.setTimeout(600_000);

const DOOMED = fileURLToPath(new URL('testing/doomed-server.ts', import.meta.url));
const OLD = 'what was there before';
const BYTES = noise(2 * PART_BYTES + 1000, 3);

/** The long run kills at a second part too. */
const FAILPOINTS = [
  'artifacts.upload-opened:2',
  'artifacts.part-written:3',
  'artifacts.part-recorded:2',
  ...(isLong ? ['artifacts.part-written:2', 'artifacts.part-recorded:4'] : []),
  'artifacts.published:2',
  'artifacts.removed',
];

interface Doomed {
  url: string;
  scoped: string;
  run_id: string;
  /** The claim of the run's activity, if the server was told to claim it. */
  claim?: { activity_id: string; epoch: number };
  died: Promise<unknown>;
}

async function startDoomed(args: string[], failpoints: string): Promise<Doomed> {
  const child = spawn(process.execPath, [DOOMED, ...args], {
    env: { PATH: process.env.PATH, SVC_FAILPOINTS: failpoints },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = once(child, 'close');
  for await (const line of createInterface(child.stdout)) return { ...JSON.parse(line), died };
  throw new Error('the server did not start');
}

const put = (url: string, headers: Record<string, string>, body: Buffer | string) =>
  fetch(url, { method: 'PUT', headers: { authorization: 'Bearer member', ...headers }, body });

/** One upload that a kill interrupts anywhere: either the old artifact is there, or the new one, and nothing between. */
async function killed(t: Test, store: Store, failpoints: string): Promise<void> {
  const database = await openTestDatabase(store);
  const folder = await mkdtemp(join(tmpdir(), 'svc-artifacts-'));
  t.teardown(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const doomed = await startDoomed([database.url, database.master_key, folder], failpoints);
  const place = `${doomed.scoped}/runs/${doomed.run_id}/artifacts/x`;
  t.equal((await put(`${doomed.url}${place}`, {}, OLD)).status, 201);
  const headers = { 'repr-digest': reprDigest(BYTES) };
  const removes = failpoints === 'artifacts.removed';
  const last = removes
    ? fetch(`${doomed.url}${place}`, { method: 'DELETE', headers: { authorization: 'Bearer member' } })
    : put(`${doomed.url}${place}`, headers, BYTES);
  await t.rejects(last, 'the server is gone before it answers');
  await doomed.died;
  const world = await openWorld(t, { database, folder });
  const { server } = world;
  t.same(await strays(server, folder), [], 'no file without a row, no row without its files');
  const read = async () =>
    Buffer.from(
      await (await fetch(`${server.url}${place}`, { headers: { authorization: 'Bearer viewer' } })).arrayBuffer(),
    );
  t.equal((await read()).toString(), OLD);
  const uploads = place.replace('/artifacts/', '/artifact-uploads/');
  const state = await server.call('member', `GET ${uploads}?size=${BYTES.length}&digest=sha256:${digest(BYTES)}`);
  const from = state.json.offset as number;
  t.comment(`${from} of ${BYTES.length} bytes had been stored`);
  const range = { 'content-range': `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` };
  const done = await put(`${server.url}${place}`, { ...headers, ...(from > 0 ? range : {}) }, BYTES.subarray(from));
  t.equal(done.status, 200, await done.text());
  t.ok((await read()).equals(BYTES));
  await world.sweep();
  t.same(await strays(server, folder), []);
  t.equal(
    (await filesIn(folder)).length,
    (await partsOf(BYTES, from)).length,
    'only the parts of the artifact are left',
  );
}

/** A kill after the commit of a save: the cache is there, and the agent that asks again learns that it saved it. */
async function killedWhileSaving(t: Test, store: Store): Promise<void> {
  const database = await openTestDatabase(store);
  const folder = await mkdtemp(join(tmpdir(), 'svc-artifacts-'));
  t.teardown(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const args = [database.url, database.master_key, folder, 'claim'];
  const doomed = await startDoomed(args, 'artifacts.cache-saved');
  const cache = `/api/v1/agents/activities/${doomed.claim!.activity_id}/cache?epoch=${doomed.claim!.epoch}`;
  const headers = { authorization: 'Bearer agent', 'content-type': 'application/json' };
  const staged = await fetch(`${doomed.url}${cache.replace('/cache?', '/artifacts/archive?')}&stage=true`, {
    method: 'PUT',
    headers: { ...headers, 'repr-digest': reprDigest(OLD) },
    body: OLD,
  });
  const { upload_id } = (await staged.json()) as { upload_id: string };
  const body = JSON.stringify({ key: 'k', upload_id });
  await t.rejects(fetch(`${doomed.url}${cache}`, { method: 'POST', headers, body }), 'the server is gone');
  await doomed.died;
  const world = await openWorld(t, { database, folder });
  const { server } = world;
  t.same(await strays(server, folder), []);
  t.match(await server.call('viewer', `GET ${doomed.scoped}/caches`), {
    json: { caches: [] },
  });
  const again = await server.call('agent', `POST ${cache}`, { key: 'k', upload_id });
  t.match(again, { status: 200, json: { saved: true } }, 'the upload is still there, because nothing was committed');
  t.match(await server.call('agent', `GET ${cache.replace('/cache?', '/cache-content?')}&key=k`), { text: OLD });
  await world.sweep();
  t.same(await strays(server, folder), []);
}

/** What was stored before the kill, and what came after it, in parts. */
async function partsOf(bytes: Buffer, from: number): Promise<number[]> {
  const count = (size: number) => Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, n) => n);
  return [...count(from), ...count(bytes.length - from)];
}

for (const store of storesOf(STORES))
  t.test(store, { timeout: 600_000 }, async (t) => {
    for (const failpoints of FAILPOINTS) await t.test(failpoints, (t) => killed(t, store, failpoints));
    await t.test('artifacts.cache-saved', (t) => killedWhileSaving(t, store));
  });
