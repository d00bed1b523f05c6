import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { ActivityTransfers } from '../agents/contract.ts';
import { STORES, until } from '../../../test/kit/index.ts';
import { Artifacts } from './contract.ts';
import { PART_BYTES } from './domain/parts.ts';
import { digest, filesIn, noise, strays } from './testing/files.ts';
import { openWorld, type World } from './testing/world.ts';

t.setTimeout(600_000);

const BYTES = noise(PART_BYTES + 1000, 5);

/** Content that stops after its first part until it is let go. */
function held() {
  const { promise: let_go, resolve } = Promise.withResolvers<void>();
  return {
    release: resolve,
    content: {
      size: BYTES.length,
      digest: digest(BYTES),
      async *read(from: number) {
        yield BYTES.subarray(from, PART_BYTES + 10);
        await let_go;
        yield BYTES.subarray(Math.max(from, PART_BYTES + 10));
      },
    },
  };
}

async function openWork(world: World) {
  const { activity_id, epoch, run_id } = await world.claim();
  const sender = world.server.use.all(ActivityTransfers).find((transfer) => 'files' in transfer);
  const files = sender!.files({ claim: { activity_id, epoch }, signal: new AbortController().signal });
  const { org_id, project_id } = world.server.scope;
  const stored = async () =>
    Number(
      (await world.server.use(Database).read<{ n: number }>('SELECT MAX(stored) AS n FROM artifacts_uploads'))[0]?.n,
    );
  return { files, stored, scope: { org_id, project_id, run_id } };
}

async function bytesOf(world: World, scope: { org_id: string; project_id: string; run_id: string }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await world.server.use(Artifacts).open(scope, 'x')).content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The first was held up, the second has sent the same file meanwhile: the first may write nothing more. */
async function oneOfTwoDecides(t: Test, world: World): Promise<void> {
  const { files, stored, scope } = await openWork(world);
  const slow = held();
  const first = files.put('x', slow.content);
  await until(async () => (await stored()) === PART_BYTES);
  const fast = held();
  fast.release();
  const second = await files.put('x', fast.content);
  t.equal(second.size, BYTES.length);
  slow.release();
  await t.rejects(first, { code: 'artifact_upload_taken' });
  t.ok((await bytesOf(world, scope)).equals(BYTES));
  t.same(await strays(world.server, world.folder), [], 'what the first wrote is noted for removal');
  await world.sweep();
  t.equal((await filesIn(world.folder)).length, 2, 'the parts of the second are left');
  t.ok((await bytesOf(world, scope)).equals(BYTES));
}

/** What is swept as given up, while its request lives after all, is never half of an artifact. */
async function aSweptUploadEnds(t: Test, world: World): Promise<void> {
  const { files, stored, scope } = await openWork(world);
  const slow = held();
  const upload = files.put('x', slow.content);
  await until(async () => (await stored()) === PART_BYTES);
  await world.sweep();
  slow.release();
  await t.rejects(upload, { code: 'artifact_upload_taken' });
  await t.rejects(world.server.use(Artifacts).open(scope, 'x'), { code: 'not_found' });
  const fresh = held();
  fresh.release();
  await files.put('x', fresh.content);
  t.ok((await bytesOf(world, scope)).equals(BYTES));
}

/** A sweeper that runs all the time harms no upload that goes on. */
async function sweepingHarmsNobody(t: Test, world: World): Promise<void> {
  const { scope } = await openWork(world);
  const artifacts = world.server.use(Artifacts);
  let done = false;
  const sweeping = (async () => {
    while (!done) {
      await world.server.use(Database).write('UPDATE artifacts_removals SET due = 0');
      await world.sweepDue();
    }
  })();
  async function* content(): AsyncGenerator<Buffer> {
    for (let at = 0; at < BYTES.length; at += 500_000) {
      yield BYTES.subarray(at, at + 500_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  for (let n = 0; n < 5; n += 1) await artifacts.put(scope, 'x', content());
  done = true;
  await sweeping;
  t.ok((await bytesOf(world, scope)).equals(BYTES));
  await world.sweep();
  t.equal((await filesIn(world.folder)).length, 2);
  t.same(await strays(world.server, world.folder), []);
}

// @store: who wins is decided by rows.
for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    for (const [what, run] of [
      ['of two requests for one upload, one decides', oneOfTwoDecides],
      ['an upload that was swept ends', aSweptUploadEnds],
      ['sweeping harms no upload', sweepingHarmsNobody],
    ] as const)
      await t.test(what, async (t) => run(t, await openWorld(t, { store })));
  });
