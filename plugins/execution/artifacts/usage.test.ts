import { stat } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { RunEngine, RunStore } from '../../engine/runs/contract.ts';
import { findBroken, STORES } from '../../../test/kit/index.ts';
import { Artifacts } from './contract.ts';
import { filesIn, noise, reprDigest } from './testing/files.ts';
import { openWorld, type World } from './testing/world.ts';
import { USAGE } from './testing/usage.ts';

t.setTimeout(600_000);

const KIB = 1024;
const ENV = {
  SVC_RUN_LIMITS: 'artifacts=100KiB',
  SVC_UNTRUSTED_RUN_LIMITS: 'artifacts=20KiB',
  SVC_PROJECT_LIMITS: 'artifacts=150KiB',
  SVC_UNTRUSTED_PROJECT_LIMITS: 'artifacts=30KiB',
};

const submit = async ({ server }: World, trusted: boolean) =>
  (await server.use(RunEngine).submit(server.submit({ trusted }))).run_id;

async function* pieces(size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; left -= 4 * KIB) yield noise(Math.min(left, 4 * KIB));
}

const put = ({ server }: World, run_id: string, path: string, size: number) =>
  server.use(Artifacts).put({ ...server.scope, run_id }, path, pieces(size));

async function holds(t: Test, { server }: World): Promise<void> {
  t.same(await findBroken(server.use(Database), USAGE), [], 'what is counted is what is there');
}

async function runsHaveBounds(t: Test, world: World): Promise<void> {
  const { server, folder } = world;
  const stranger = await submit(world, false);
  await put(world, stranger, 'a', 15 * KIB);
  await t.rejects(put(world, stranger, 'b', 6 * KIB), {
    code: 'artifact_quota_exceeded',
    message: /an untrusted run can have 20KiB .*SVC_UNTRUSTED_RUN_LIMITS/,
  });
  await put(world, stranger, 'a', 4 * KIB);
  await put(world, stranger, 'b', 15 * KIB);
  t.pass('what was replaced counts no more');
  await holds(t, world);
  const trusted = await submit(world, true);
  await put(world, trusted, 'a', 90 * KIB);
  const line = `PUT ${server.scoped}/runs/${trusted}/artifacts/b`;
  const refused = await fetch(`${server.url}${line.slice(4)}`, {
    method: 'PUT',
    headers: { authorization: 'Bearer member' },
    body: noise(20 * KIB),
  });
  t.equal(refused.status, 409);
  t.match(await refused.json(), { code: 'artifact_quota_exceeded', limit_bytes: 100 * KIB });
  t.equal((await server.call('member', `DELETE ${server.scoped}/runs/${trusted}/artifacts/a`)).status, 204);
  await put(world, trusted, 'b', 20 * KIB);
  await holds(t, world);
  await world.sweep();
  t.equal((await filesIn(folder)).length, 3, 'nothing of what was refused is left');
}

async function projectsHaveBounds(t: Test, world: World): Promise<void> {
  const { server } = world;
  await put(world, await submit(world, false), 'a', 18 * KIB);
  const other = await submit(world, false);
  await t.rejects(put(world, other, 'a', 18 * KIB), {
    code: 'artifact_quota_exceeded',
    message: /untrusted runs of a project can have 30KiB .*SVC_UNTRUSTED_PROJECT_LIMITS/,
  });
  await put(world, await submit(world, true), 'a', 80 * KIB);
  await t.rejects(put(world, await submit(world, true), 'a', 80 * KIB), { code: 'artifact_quota_exceeded' });
  await holds(t, world);
  const database = server.use(Database);
  for (const claim of await server.agent.claim()) await server.agent.end(claim);
  const files = server.use.all(Prunables).find(({ name }) => name === 'artifacts')!;
  for await (const _ of files.prune(database.now() + 60_000, 100));
  await put(world, other, 'a', 18 * KIB);
  t.pass('what is removed is given back');
  const runs = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
  for await (const _ of runs.prune(database.now() + 60_000, 100));
  const [{ bytes } = { bytes: 1 }] = await database.read<{ bytes: number }>(
    'SELECT SUM(bytes) AS bytes FROM artifacts_project_usage',
  );
  t.equal(Number(bytes), 0, 'and what goes with its run');
  await holds(t, world);
}

/** Bytes of all files. */
const onDisk = async ({ folder }: World) =>
  (await Promise.all((await filesIn(folder)).map((path) => stat(path)))).reduce((sum, { size }) => sum + size, 0);

/** Repeats what stores 9 KiB until it is refused. */
async function untilRefused(t: Test, world: World, store: () => Promise<string>): Promise<void> {
  const answers: string[] = [];
  for (let n = 0; n < 8; n += 1) answers.push(await store());
  t.same(answers, [...Array(4).fill('stored'), ...Array(4).fill('artifact_quota_exceeded')]);
  t.ok((await onDisk(world)) <= 40 * KIB, 'no more than twice the bound is on the disk');
  await holds(t, world);
  await world.sweep();
  t.equal(await store(), 'stored', 'what is removed counts no more');
  await holds(t, world);
}

async function replacedArtifactsCount(t: Test, world: World): Promise<void> {
  const stranger = await submit(world, false);
  const replace = () =>
    put(world, stranger, 'a', 9 * KIB).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    );
  await untilRefused(t, world, replace);
}

async function uploadsBegunAnewCount(t: Test, world: World): Promise<void> {
  const { server } = world;
  const place = `${server.url}${server.scoped}/runs/${await submit(world, false)}/artifacts/a`;
  const whole = noise(10 * KIB);
  const begin = async () => {
    const answer = await fetch(place, {
      method: 'PUT',
      headers: {
        authorization: 'Bearer member',
        'repr-digest': reprDigest(whole),
        'content-range': `bytes 0-${9 * KIB - 1}/${whole.length}`,
      },
      body: whole.subarray(0, 9 * KIB),
    });
    return answer.status === 202 ? 'stored' : ((await answer.json()) as { code: string }).code;
  };
  await untilRefused(t, world, begin);
}

async function uploadsGivenUpCount(t: Test, world: World): Promise<void> {
  const { server } = world;
  const run = `${server.url}${server.scoped}/runs/${await submit(world, false)}/artifacts`;
  let nth = 0;
  /** The first piece is stored; what follows is not what the digest says. */
  const giveUp = async () => {
    const whole = noise(9 * KIB + 1, nth++);
    const send = async (from: number, body: Buffer) =>
      fetch(`${run}/a`, {
        method: 'PUT',
        headers: {
          authorization: 'Bearer member',
          'repr-digest': reprDigest(whole),
          'content-range': `bytes ${from}-${from + body.length - 1}/${whole.length}`,
        },
        body,
      });
    const first = await send(0, whole.subarray(0, 9 * KIB));
    if (first.status !== 202) return ((await first.json()) as { code: string }).code;
    t.equal((await send(9 * KIB, Buffer.from([whole.at(-1)! ^ 1]))).status, 422);
    return 'stored';
  };
  await untilRefused(t, world, giveUp);
}

async function goneRunsCount(t: Test, world: World): Promise<void> {
  const { server } = world;
  const database = server.use(Database);
  const leaving = async () =>
    Number(
      (
        await database.read<{ n: number }>('SELECT SUM(leaving) AS n FROM artifacts_project_usage WHERE untrusted = 0')
      )[0]!.n,
    );
  await put(world, await submit(world, true), 'a', 100 * KIB);
  for (const claim of await server.agent.claim()) await server.agent.end(claim);
  const runs = server.use.all(Prunables).find(({ name }) => name === 'runs')!;
  for await (const _ of runs.prune(database.now() + 60_000, 100));
  t.equal(await leaving(), 100 * KIB, 'its project has it until it is removed');
  await holds(t, world);
  await put(world, await submit(world, true), 'a', 90 * KIB);
  await t.rejects(put(world, await submit(world, true), 'a', 90 * KIB), { code: 'artifact_quota_exceeded' });
  await world.sweep();
  t.equal(await leaving(), 0);
  await holds(t, world);
}

async function uploadsCount(t: Test, world: World): Promise<void> {
  const { server } = world;
  const run_id = await submit(world, false);
  const claim = (await server.agent.claim()).find((one) => one.run_id === run_id)!;
  const stage = async (path: string, size: number) =>
    fetch(
      `${server.url}/api/v1/agents/activities/${claim.activity_id}/artifacts/${path}?epoch=${claim.epoch}&stage=true`,
      { method: 'PUT', headers: { authorization: 'Bearer agent' }, body: noise(size, size) },
    );
  const first = await stage('a', 12 * KIB);
  t.equal(first.status, 200);
  const { upload_id } = (await first.json()) as { upload_id: string };
  t.equal((await stage('b', 12 * KIB)).status, 409, 'what is not published yet takes room too');
  await holds(t, world);
  const call = { position: 0, kind: 'artifact', name: 'put', ordinal: 0, digest: '', started_at: 0 };
  await server.use(RunStore).perform(claim, { ...call, args: { uploads: [upload_id] } });
  await holds(t, world);
  t.equal((await stage('b', 6 * KIB)).status, 200);
  await holds(t, world);
  await world.sweep();
  t.equal((await stage('c', 6 * KIB)).status, 200, 'what is given up takes none');
  await holds(t, world);
}

for (const store of STORES)
  for (const [name, work] of Object.entries({
    ...{ runsHaveBounds, projectsHaveBounds, uploadsCount, goneRunsCount },
    ...{ replacedArtifactsCount, uploadsBegunAnewCount, uploadsGivenUpCount },
  }))
    t.test(`${store}: ${name}`, async (t) => work(t, await openWorld(t, { store, env: ENV })));
