import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Database, insertRows } from '../../../kernel/contracts/index.ts';
import { ActivityTransfers, type StoredFile } from '../agents/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { type Claimed, type ClaimRef, type JournalRecord, RunStore } from '../../engine/runs/contract.ts';
import { STORES } from '../../../test/kit/index.ts';
import { Artifacts } from './contract.ts';
import { LocalFileError } from './local/local-file-error.ts';
import { collectFiles, readContent } from './local/walk.ts';
import { digest, filesIn, noise, strays } from './testing/files.ts';
import { openWorld, type World } from './testing/world.ts';
import { artifactPutVerb } from './verbs/put.ts';

t.setTimeout(600_000);

const LATER_MS = 60_000;
const ref = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });
const text = (record: JournalRecord): string => Buffer.from(record.output, 'base64').toString();

/** A file that can be read again. */
const fileOf = (bytes: Buffer | string) => ({
  size: bytes.length,
  digest: digest(bytes),
  async *read(from: number) {
    yield Buffer.from(bytes).subarray(from);
  },
});

async function* once(...chunks: string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

function filesOf({ server }: World, claim: ClaimRef) {
  const sender = server.use.all(ActivityTransfers).find((transfer) => 'files' in transfer);
  return sender!.files({ claim: ref(claim), signal: new AbortController().signal });
}

const site = (position: number) => ({
  position,
  kind: 'artifact',
  name: 'put',
  ordinal: position,
  digest: '',
  started_at: 0,
});

async function listed({ server }: World, run_id: string): Promise<string[]> {
  const { json } = await server.call('viewer', `GET ${server.scoped}/runs/${run_id}/artifacts`);
  return (json.artifacts ?? []).map(({ path }: { path: string }) => path);
}

async function aCallPublishesOnce(t: Test, world: World): Promise<void> {
  const store = world.server.use(RunStore);
  const claim = await world.claim();
  const files = filesOf(world, claim);
  const one = await files.stage('out/1', fileOf('one'));
  const two = await files.stage('out/2', { stream: once('t', 'wo') });
  t.match(one, { path: 'out/1', size: 3, digest: `sha256:${digest('one')}` });
  t.same(await listed(world, claim.run_id), [], 'nothing is there before the record');
  const args = { uploads: [one.upload_id, two.upload_id] };
  const record = await store.perform(ref(claim), { ...site(0), args });
  t.equal(text(record), 'out/1\nout/2\n');
  t.same(await listed(world, claim.run_id), ['out/1', 'out/2']);
  t.same(await store.perform(ref(claim), { ...site(0), args }), record, 'a repeat answers the record');
  for (const uploads of [[one.upload_id], ['art_NONE'], [], ['x'], [one.upload_id, one.upload_id]])
    await t.rejects(
      store.perform(ref(claim), { ...site(1), args: { uploads } }),
      { code: /taken|invalid/ },
      JSON.stringify(uploads),
    );
  const again = await files.stage('out/1', fileOf('uno'));
  await store.perform(ref(claim), { ...site(1), args: { uploads: [again.upload_id] } });
  const put = await files.put('answer.json', { stream: once('{"a"', ':1}') });
  t.same(put, { path: 'answer.json', size: 7, digest: `sha256:${digest('{"a":1}')}` });
  t.same(await listed(world, claim.run_id), ['answer.json', 'out/1', 'out/2'], 'an executor may store without a call');
  await world.server.agent.end(claim);
}

async function aLostClaimStoresNothing(t: Test, world: World): Promise<void> {
  await world.submit();
  const claim = await world.claim();
  const files = filesOf(world, claim);
  const staged = await files.stage('late', fileOf('late'));
  async function* losing(): AsyncGenerator<Buffer> {
    yield Buffer.from('half');
    await world.server.use(RunStore).release(ref(claim));
    yield Buffer.from('half');
  }
  await t.rejects(files.put('torn', { stream: losing() }), { code: 'lease_lost' }, 'also when it is lost on the way');
  await t.rejects(files.put('new', fileOf('new')), { code: 'lease_lost' });
  await t.rejects(files.stage('new', fileOf('new')), { code: 'lease_lost' });
  const next = await world.claim();
  t.equal(next.activity_id, claim.activity_id);
  const stale = { ...site(0), args: { uploads: [staged.upload_id] } };
  await t.rejects(world.server.use(RunStore).perform(ref(claim), stale), { code: 'lease_lost' });
  t.same(await listed(world, claim.run_id), []);
  const resumed = await filesOf(world, next).stage('late', fileOf('late'));
  t.equal(resumed.upload_id, staged.upload_id, 'the next pass goes on with what was uploaded');
  await world.server.agent.end(next);
  await world.sweep();
}

async function agentsBringFilesOverHttp(t: Test, world: World): Promise<void> {
  await world.submit();
  const claim = await world.claim();
  const at = `/api/v1/agents/activities/${claim.activity_id}`;
  const { server } = world;
  const put = (caller: string, query: string, body = 'x') =>
    server.call(caller, `PUT ${at}/artifacts/f?${query}`, body, { 'content-type': 'a/b' });
  t.match(await put('agent', `epoch=${claim.epoch}&stage=true`), { status: 200, json: { upload_id: /^art_/ } });
  t.match(await put('agent', `epoch=${claim.epoch}`), { status: 201, json: { path: 'f' } });
  t.equal((await put('member', `epoch=${claim.epoch}`)).status, 403);
  t.match(await put('agent', `epoch=${claim.epoch + 1}`), { status: 409, json: { code: 'lease_lost' } });
  t.equal((await put('agent', 'epoch=0')).status, 400);
  t.equal((await put('agent', '')).status, 400);
  const state = `GET ${at}/artifact-uploads/f?epoch=${claim.epoch}&size=1&digest=sha256:${digest('x')}`;
  t.match(await server.call('agent', state), { status: 200, json: { offset: 0 } });
  t.equal((await server.call('agent', state.replace(claim.activity_id, 'act_none'))).status, 409);
  await server.agent.end(claim);
}

/** Downloads an artifact that was listed; answers its content. */
async function fetched(t: Test, world: World, claim: ClaimRef, file: StoredFile): Promise<string> {
  const target = join(t.testdir({}), 'got');
  await filesOf(world, claim).fetch(file, target);
  return readFile(target, 'utf8');
}

async function anActivityReadsItsRun(t: Test, world: World): Promise<void> {
  const { server } = world;
  const other = await world.submit();
  await server.agent.work();
  await world.submit();
  const claim = await world.claim();
  const files = filesOf(world, claim);
  for (const n of Array.from({ length: 201 }, (_, index) => String(index).padStart(3, '0')))
    await files.put(`many/${n}`, fileOf(n));
  await files.put('one', fileOf('the one'));
  const first = await files.list('');
  t.equal(first.files.length, 200);
  const second = await files.list('', first.next_cursor);
  t.same(
    second.files.map(({ path }) => path),
    ['many/200', 'one'],
  );
  t.equal(second.next_cursor, undefined);
  const [one] = (await files.list('one')).files;
  t.same(one, { path: 'one', size: 7, digest: `sha256:${digest('the one')}` });
  t.equal(await fetched(t, world, claim, one!), 'the one');
  await files.put('one', fileOf('another'));
  await t.rejects(fetched(t, world, claim, one!), { code: 'not_found', message: /replaced after it was listed/ });
  const at = `/api/v1/agents/activities/${claim.activity_id}/artifacts`;
  const held = `epoch=${claim.epoch}`;
  t.match(await server.call('agent', `GET ${at}?${held}&prefix=one`), {
    status: 200,
    json: { artifacts: [{ path: 'one', size: 7 }] },
  });
  t.match(await server.call('agent', `GET ${at}/one?${held}`), { status: 200, text: 'another' });
  t.match(await server.call('agent', `GET ${at}/one?${held}`, undefined, { range: 'bytes=3-' }), {
    status: 206,
    text: 'ther',
  });
  t.equal((await server.call('agent', `GET ${at}/none?${held}`)).status, 404);
  t.equal((await server.call('member', `GET ${at}?${held}`)).status, 403);
  await server.call('member', `PUT ${server.scoped}/runs/${other}/artifacts/theirs`, 'x', { 'content-type': 'a/b' });
  t.equal((await server.call('agent', `GET ${at}/theirs?${held}`)).status, 404, 'another run has it');
  const next = claim.epoch + 1;
  for (const path of ['', '/one'])
    t.match(await server.call('agent', `GET ${at}${path}?epoch=${next}`), {
      status: 409,
      json: { code: 'lease_lost' },
    });
  const [current] = (await files.list('one')).files;
  await server.agent.end(claim);
  await t.rejects(files.list(''), { code: 'lease_lost' });
  await t.rejects(files.fetch(current!, join(t.testdir({}), 'got')), { code: 'lease_lost' });
}

async function otherPluginsStoreAndRead(t: Test, world: World): Promise<void> {
  const artifacts = world.server.use(Artifacts);
  const { org_id, project_id } = world.server.scope;
  const scope = { org_id, project_id, run_id: await world.submit() };
  const made = await artifacts.put(scope, 'a/b', once('hello ', 'world'));
  t.same(made, { path: 'a/b', size: 11, digest: `sha256:${digest('hello world')}` });
  const { content, ...same } = await artifacts.open(scope, 'a/b');
  t.same(same, made);
  let read = '';
  for await (const chunk of content) read += chunk;
  t.equal(read, 'hello world');
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('half');
    throw new Error('the source broke');
  }
  await t.rejects(artifacts.put(scope, 'a/b', broken()), { message: 'the source broke' });
  t.equal((await artifacts.open(scope, 'a/b')).size, 11, 'what was there stays');
  await t.rejects(artifacts.put(scope, '../x', once('x')), { code: 'invalid_request' });
  await t.rejects(artifacts.open({ ...scope, project_id: 'prj_2' }, 'a/b'), { code: 'not_found' });
  await t.rejects(artifacts.put({ ...scope, run_id: 'run_none' }, 'x', once('x')), { code: 'not_found' });
  await world.server.agent.work();
}

async function aRerunHasWhatItsPrefixPut(t: Test, world: World): Promise<void> {
  const { server } = world;
  const store = server.use(RunStore);
  await world.submit();
  const claim: Claimed = await world.claim();
  const files = filesOf(world, claim);
  for (const [position, name] of ['first', 'second'].entries()) {
    const { upload_id } = await files.stage(name, fileOf(name));
    await store.perform(ref(claim), { ...site(position), args: { uploads: [upload_id] } });
  }
  await server.agent.end(claim);
  const rerun = await server.call('member', `POST ${server.scoped}/runs/${claim.run_id}/rerun`, { from: 'put#1' });
  t.equal(rerun.status, 201, rerun.text);
  const { run_id } = rerun.json;
  t.same(await listed(world, run_id), ['first']);
  await server.call('member', `DELETE ${server.scoped}/runs/${claim.run_id}/artifacts/first`);
  await world.sweep();
  const read = await server.call('viewer', `GET ${server.scoped}/runs/${run_id}/artifacts/first`);
  t.equal(read.text, 'first', 'the content is shared, and stays while one of them has it');
  await server.call('member', `DELETE ${server.scoped}/runs/${run_id}/artifacts/first`);
  await world.sweep();
  t.same(await strays(server, world.folder), []);
  await server.agent.work();
}

/** Lists of many parts fill a transaction sooner than short ones. */
async function largeOnesArePrunedInSmallBatches(t: Test, world: World): Promise<void> {
  const { server, run_id } = world;
  const database = server.use(Database);
  const { org_id, project_id } = server.scope;
  await server.agent.work();
  const parts = JSON.stringify(Array.from({ length: 1280 }, () => [1, 8 * 1024 * 1024]));
  const columns = [
    'run_id',
    'path',
    'org_id',
    'project_id',
    'blob_id',
    'store',
    'parts',
    'size',
    'digest',
    'created_at',
  ];
  const rows = Array.from({ length: 40 }, (_, n) => [
    ...[run_id, Buffer.from(`large/${n}`), org_id, project_id, `art_large_${n}`, 'elsewhere', parts, 1, '', 1],
  ]);
  await insertRows(database, 'INSERT INTO artifacts_files', columns, rows);
  const prunable = server.use.all(Prunables).find(({ name }) => name === 'artifacts')!;
  const left: number[] = [];
  for await (const _ of prunable.prune(database.now() + LATER_MS, 1000)) {
    const [row] = await database.read<{ n: number }>('SELECT COUNT(*) AS n FROM artifacts_files WHERE run_id = ?', [
      run_id,
    ]);
    left.push(Number(row!.n));
  }
  t.same(left, [23, 6, 0], 'seventeen of 15 KB each fill a batch of 1,000');
}

async function theyArePruned(t: Test, world: World): Promise<void> {
  const { server } = world;
  const prune = async (name: string, limit: number) => {
    const batches: number[] = [];
    const prunable = server.use.all(Prunables).find((one) => one.name === name)!;
    const bound = server.use(Database).now() + LATER_MS;
    for await (const count of prunable.prune(bound, limit)) batches.push(count);
    return batches;
  };
  await prune('artifacts', 1000);
  const over = await world.submit();
  const put = async (run_id: string, count: number) => {
    for (let n = 0; n < count; n += 1)
      await server.call('member', `PUT ${server.scoped}/runs/${run_id}/artifacts/${n}`, 'x', { 'content-type': 'a/b' });
  };
  await put(over, 5);
  await server.agent.work();
  const gone = await world.submit();
  await put(gone, 3);
  await server.agent.work();
  const open = await world.submit();
  await put(open, 2);
  t.same(await prune('artifacts', 3), [3, 2, 3], 'at most so many rows at once');
  t.same(await listed(world, over), []);
  t.equal((await server.call('viewer', `GET ${server.scoped}/runs/${over}`)).status, 200, 'the runs stay');
  t.equal((await listed(world, open)).length, 2, 'a run that has not ended keeps them');
  await put(gone, 4);
  await prune('runs', 3);
  t.equal((await server.call('viewer', `GET ${server.scoped}/runs/${gone}`)).status, 404);
  await world.sweep();
  t.same(await strays(server, world.folder), []);
  t.equal((await filesIn(world.folder)).length, 2, 'their files go too');
  await server.agent.work();
}

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const world = await openWorld(t, { store });
    await t.test('a call publishes its files once', (t) => aCallPublishesOnce(t, world));
    await t.test('a lost claim stores nothing', (t) => aLostClaimStoresNothing(t, world));
    await t.test('agents bring files over HTTP', (t) => agentsBringFilesOverHttp(t, world));
    await t.test('an activity reads what its run has', (t) => anActivityReadsItsRun(t, world));
    await t.test('other plugins store and read', (t) => otherPluginsStoreAndRead(t, world));
    await t.test('a rerun has what the calls before its site put', (t) => aRerunHasWhatItsPrefixPut(t, world));
    await t.test('artifacts are pruned, alone and with their runs', (t) => theyArePruned(t, world));
    await t.test('large artifacts are pruned in small batches', async (t) =>
      largeOnesArePrunedInSmallBatches(t, await openWorld(t, { store })),
    );
  });

t.test('a file that becomes a link between its digest and its upload is a usage error', async (t) => {
  const folder = t.testdir({ out: 'content' });
  const file = join(folder, 'out');
  const stage = async (_path: string, content: { read(from: number): AsyncIterable<Buffer> }) => {
    await rm(file);
    await symlink('/etc/passwd', file);
    for await (const _ of content.read(0)) t.fail('the link was followed');
  };
  const pass = { mask: (text: string) => text, perform: (_site: unknown, args: () => Promise<unknown>) => args() };
  const call = { argv: ['out'], cwd: folder, pass, files: { stage } };
  await t.rejects(artifactPutVerb.run(call as never), { code: 'verb_usage', message: /it is a symbolic link now/ });
});

t.test('a folder becomes a list of files, and links are refused', async (t) => {
  const folder = t.testdir({ dist: { 'b.txt': 'b', sub: { 'a.txt': 'a' } }, empty: {}, 'one.txt': '1' });
  const paths = async (given: string, as?: string) => (await collectFiles(folder, given, as)).map(({ path }) => path);
  t.same(await paths('dist'), ['dist/b.txt', 'dist/sub/a.txt']);
  t.same(await paths('dist/'), ['dist/b.txt', 'dist/sub/a.txt']);
  t.same(await paths('dist', '.'), ['b.txt', 'sub/a.txt']);
  t.same(await paths('dist', 'web/v1/'), ['web/v1/b.txt', 'web/v1/sub/a.txt']);
  t.same(await paths('./dist/../one.txt'), ['one.txt']);
  t.same(await paths('one.txt', 'x/y'), ['x/y']);
  t.same(await paths('one.txt', 'x/'), ['x/one.txt']);
  for (const [given, as] of [
    ['none'],
    ['empty'],
    ['dist', '../x'],
    ['dist', '/x'],
    ['one.txt', 'a//b'],
    ['dist', 'a\\b'],
  ] as const)
    await t.rejects(paths(given, as), LocalFileError, `${given} ${as}`);
  await symlink('/etc/passwd', join(folder, 'dist', 'sub', 'link'));
  await t.rejects(paths('dist'), { message: /dist\/sub\/link is a symbolic link/, next: /not followed/ });
  await symlink(join(folder, 'empty'), join(folder, 'linked'));
  await t.rejects(paths('linked'), { message: /is a symbolic link/ });
  await t.rejects(readContent(join(folder, 'dist', 'sub', 'link')), { message: /it is a symbolic link now/ });
  await mkdir(join(folder, 'many'));
  await Promise.all(Array.from({ length: 5001 }, (_, n) => writeFile(join(folder, 'many', `${n}`), '')));
  await t.rejects(paths('many'), { message: /more than 5000 files/ });
  const bytes = noise(700_000);
  await writeFile(join(folder, 'big'), bytes);
  const content = await readContent(join(folder, 'big'));
  t.match(content, { size: bytes.length, digest: digest(bytes) });
  const rest: Buffer[] = [];
  for await (const chunk of content.read(300_001)) rest.push(chunk);
  t.ok(Buffer.concat(rest).equals(bytes.subarray(300_001)));
});

t.test('files that change while they are stored, and names that are none', async (t) => {
  const folder = t.testdir({ log: 'one\n', short: 'a longer text', gone: 'x', odd: {} });
  const read = async ({ read }: Awaited<ReturnType<typeof readContent>>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of read(0)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const log = await readContent(join(folder, 'log'));
  await appendFile(join(folder, 'log'), 'two\n');
  t.equal(await read(log), 'one\n', 'what was appended is not of it');
  const short = await readContent(join(folder, 'short'));
  await truncate(join(folder, 'short'), 3);
  await t.rejects(read(short), { message: /became shorter/ });
  const gone = await readContent(join(folder, 'gone'));
  await rm(join(folder, 'gone'));
  await t.rejects(read(gone), { message: /cannot be read: ENOENT/ });
  await promisify(execFile)('mkfifo', [join(folder, 'gone')]);
  await t.rejects(read(gone), { message: /regular file/ }, 'nobody waits for a pipe');
  await t.rejects(collectFiles(folder, 'gone', undefined), { message: /neither a file nor a folder/ });
  for (const name of ['ünï', 'u\u0308', '\u{1F512} a', '\u202eb', '\ufffd', 'A', 'a'])
    await writeFile(join(folder, 'odd', name), '');
  t.equal((await collectFiles(folder, 'odd', '.')).length, 7, 'each name is its own, byte by byte');
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'odd/')), Buffer.from([0x78, 0xff])]), '');
  await t.rejects(collectFiles(folder, 'odd', '.'), { message: /is not Unicode text/ });
});
