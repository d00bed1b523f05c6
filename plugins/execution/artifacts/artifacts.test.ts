import { readFile, rm } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES, until } from '../../../test/kit/index.ts';
import { PART_BYTES } from './domain/parts.ts';
import { digest, filesIn, noise, reprDigest, sendHalf, strays } from './testing/files.ts';
import { openWorld, type World } from './testing/world.ts';

t.setTimeout(600_000);

const MIB = 1024 * 1024;

/** One request with bytes. */
async function send(
  { server }: World,
  caller: string,
  line: string,
  body?: Buffer | string,
  headers: Record<string, string> = {},
) {
  const [method = '', path = ''] = line.split(' ');
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${caller}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(bytes.toString()) : undefined;
  return { status: response.status, headers: response.headers, bytes, json };
}

async function whatIsStoredIsRead(t: Test, world: World): Promise<void> {
  const { artifacts, server, folder } = world;
  const text = 'the secret is hunter2-hunter2';
  const made = await send(world, 'member', `PUT ${artifacts}/dist/a%20b.txt`, text);
  t.equal(made.status, 201);
  t.match(made.json, { path: 'dist/a b.txt', size: text.length, digest: `sha256:${digest(text)}`, created_at: /^20/ });
  t.equal(made.headers.get('repr-digest'), reprDigest(text));
  const read = await send(world, 'viewer', `GET ${artifacts}/dist/a%20b.txt`);
  t.equal(read.bytes.toString(), text);
  t.equal(read.headers.get('content-length'), String(text.length));
  t.equal(read.headers.get('repr-digest'), reprDigest(text));
  t.equal(read.headers.get('content-type'), 'application/octet-stream');
  t.match(read.headers.get('content-disposition'), /^attachment; filename="a b.txt"/);
  t.match(read.headers.get('content-security-policy'), /sandbox/);
  const [file = ''] = await filesIn(folder);
  t.equal(await readFile(file, 'utf8'), text, 'as it is: neither masked nor encrypted');
  const head = await send(world, 'viewer', `HEAD ${artifacts}/dist/a%20b.txt`);
  t.equal(head.headers.get('content-length'), String(text.length));
  t.equal(head.bytes.length, 0);
  const replaced = await send(world, 'member', `PUT ${artifacts}/dist/a%20b.txt`, 'new');
  t.match(replaced, { status: 200, json: { size: 3 } });
  t.equal((await send(world, 'viewer', `GET ${artifacts}/dist/a%20b.txt`)).bytes.toString(), 'new');
  t.equal(
    (await send(world, 'member', `PUT ${artifacts}/Dist/a%20b.txt`, '')).status,
    201,
    'names tell small from large',
  );
  t.equal(
    (await send(world, 'member', `PUT ${artifacts}/dist/a%20b.txt%20`, 'x')).status,
    201,
    'and count a last blank',
  );
  t.equal((await send(world, 'viewer', `GET ${artifacts}/Dist/a%20b.txt`)).bytes.length, 0, 'a file may be empty');
  const listed = await server.call('viewer', `GET ${artifacts}?limit=2`);
  t.same(
    listed.json.artifacts.map(({ path }: { path: string }) => path),
    ['Dist/a b.txt', 'dist/a b.txt'],
  );
  const rest = await server.call('viewer', `GET ${artifacts}?cursor=${listed.json.next_cursor}`);
  t.same(
    rest.json.artifacts.map(({ path }: { path: string }) => path),
    ['dist/a b.txt '],
  );
  t.equal((await server.call('viewer', `GET ${artifacts}?prefix=dist/`)).json.artifacts.length, 2);
  t.equal((await server.call('member', `DELETE ${artifacts}/dist/a%20b.txt`)).status, 204);
  t.equal((await server.call('member', `DELETE ${artifacts}/dist/a%20b.txt`)).status, 404);
  t.equal((await server.call('viewer', `GET ${artifacts}/dist/a%20b.txt`)).status, 404);
  const actions = await server
    .use(Database)
    .read<{ action: string }>('SELECT action FROM audit_entries ORDER BY entry_id');
  t.same(
    actions.filter(({ action }) => action.startsWith('artifact.')).map(({ action }) => action),
    ['put', 'put', 'put', 'put', 'delete'].map((verb) => `artifact.${verb}`),
  );
}

async function othersMayNot(t: Test, world: World): Promise<void> {
  const { artifacts, uploads, server, run_id } = world;
  for (const line of [
    `PUT ${artifacts}/x`,
    `DELETE ${artifacts}/x`,
    `GET ${uploads}/x?size=1&digest=sha256:${digest('')}`,
  ])
    t.equal((await server.call('viewer', line)).status, 403, line);
  t.equal((await server.call('agent', `GET ${artifacts}/x`)).status, 403);
  t.equal((await server.call(undefined, `PUT ${artifacts}/x`, 'x')).status, 401);
  await send(world, 'member', `PUT ${artifacts}/own`, 'own');
  const foreign = `${server.scoped.replace('main', 'other')}/runs/${run_id}/artifacts`;
  for (const line of [`GET ${foreign}/own`, `DELETE ${foreign}/own`, `PUT ${foreign}/own`, `GET ${foreign}`])
    t.equal((await server.call('member', line)).status, 404, line);
  t.equal((await server.call('member', `DELETE ${artifacts}/own`)).status, 204);
  const absent = `${server.scoped}/runs/run_none/artifacts`;
  for (const line of [`GET ${absent}`, `GET ${absent}/x`, `PUT ${absent}/x`])
    t.equal((await server.call('member', line)).status, 404, line);
}

async function badPathsAreRefused(t: Test, world: World): Promise<void> {
  const before = await filesIn(world.folder);
  const refused = async (path: string, status = 400) => {
    const answer = await send(world, 'member', `PUT ${world.artifacts}/${path}`, 'x');
    t.equal(answer.status, status, path.slice(0, 40));
    if (status === 400) t.match(answer.json, { code: 'invalid_request', next: /./ });
  };
  for (const path of [
    'a//b',
    '%2Fetc/passwd',
    'a%5Cb',
    'a%00b',
    'a%0Ab',
    'a/',
    'a%2F',
    'x'.repeat(256),
    'a/'.repeat(300),
  ])
    await refused(path);
  for (const path of ['..%2F..%2Fx', 'a/..%2Fb', '%2E%2E%2Fx']) await refused(path);
  await refused('', 404);
  t.same(await filesIn(world.folder), before);
}

async function rangesAreRead(t: Test, world: World): Promise<void> {
  const bytes = noise(PART_BYTES + 1000);
  await send(world, 'member', `PUT ${world.artifacts}/big`, bytes);
  const read = (range: string, more: Record<string, string> = {}) =>
    send(world, 'viewer', `GET ${world.artifacts}/big`, undefined, { range, ...more });
  const across = await read(`bytes=${PART_BYTES - 10}-${PART_BYTES + 9}`);
  t.equal(across.status, 206);
  t.equal(across.headers.get('content-range'), `bytes ${PART_BYTES - 10}-${PART_BYTES + 9}/${bytes.length}`);
  t.ok(across.bytes.equals(bytes.subarray(PART_BYTES - 10, PART_BYTES + 10)), 'over the border of two parts');
  t.ok((await read('bytes=-5')).bytes.equals(bytes.subarray(-5)));
  t.equal((await read(`bytes=${bytes.length}-`)).status, 416);
  const tag = (await send(world, 'viewer', `HEAD ${world.artifacts}/big`)).headers.get('etag') ?? '';
  t.equal((await read('bytes=0-4', { 'if-range': tag })).status, 206);
  t.equal((await read('bytes=0-4', { 'if-range': '"other"' })).status, 200);
  const known = await send(world, 'viewer', `GET ${world.artifacts}/big`, undefined, { 'if-none-match': tag });
  t.equal(known.status, 304);
}

async function digestsAreChecked(t: Test, world: World): Promise<void> {
  const { artifacts, server } = world;
  const put = (path: string, body: string, headers: Record<string, string>) =>
    send(world, 'member', `PUT ${artifacts}/${path}`, body, headers);
  t.equal((await put('good', 'text', { 'repr-digest': reprDigest('text') })).status, 201);
  t.equal((await put('good2', 'text', { 'content-digest': reprDigest('text') })).status, 201);
  for (const name of ['repr-digest', 'content-digest']) {
    const wrong = await put('wrong', 'text', { [name]: reprDigest('test') });
    t.match(wrong, { status: 422, json: { code: 'artifact_digest_mismatch' } }, name);
    t.match(await put('wrong', 'text', { [name]: 'md5=:AAAA:' }), {
      status: 400,
      json: { errors: [{ pointer: `/headers/${name}` }] },
    });
  }
  t.equal((await server.call('viewer', `GET ${artifacts}/wrong`)).status, 404);
  await send(world, 'member', `PUT ${artifacts}/kept`, 'first');
  await put('kept', 'second', { 'repr-digest': reprDigest('other') });
  t.equal((await send(world, 'viewer', `GET ${artifacts}/kept`)).bytes.toString(), 'first', 'what was there stays');
}

async function limitsHold(t: Test, world: World): Promise<void> {
  const path = `PUT ${world.artifacts}/large`;
  const large = Buffer.alloc(64 * MIB + 1);
  t.match(await send(world, 'member', path, large), { status: 413, json: { code: 'payload_too_large' } });
  const chunked = new ReadableStream({
    start(stream) {
      for (let at = 0; at < large.length; at += MIB) stream.enqueue(large.subarray(at, at + MIB));
      stream.close();
    },
  });
  const headers = { authorization: 'Bearer member' };
  const streamed = await fetch(`${world.server.url}${world.artifacts}/large`, {
    ...{ method: 'PUT', body: chunked, headers, duplex: 'half' },
  });
  t.equal(streamed.status, 413);
  const range = { 'content-range': `bytes 0-4/${64 * MIB + 1}`, 'repr-digest': reprDigest('x') };
  t.equal((await send(world, 'member', path, 'hello', range)).status, 413);
  t.equal((await world.server.call('viewer', `GET ${world.artifacts}/large`)).status, 404);
}

async function brokenUploadsContinue(t: Test, world: World): Promise<void> {
  const { artifacts, uploads, server } = world;
  const bytes = noise(2 * PART_BYTES + 5 * MIB, 7);
  const whole = { 'repr-digest': reprDigest(bytes), authorization: 'Bearer member' };
  const state = `GET ${uploads}/broken?size=${bytes.length}&digest=sha256:${digest(bytes)}`;
  const offset = async () => (await server.call('member', state)).json.offset as number;
  t.equal(await offset(), 0);
  const sent = PART_BYTES + 3 * MIB;
  await sendHalf(
    `${server.url}${artifacts}/broken`,
    { headers: { ...whole, 'content-length': String(bytes.length) }, body: bytes.subarray(0, sent) },
    () => until(async () => (await offset()) >= PART_BYTES),
  );
  const from = await until(async () => {
    const stored = await offset();
    return stored > PART_BYTES && stored;
  });
  t.ok(from <= sent, `${from} of ${sent} bytes are stored: also the part that was cut off`);
  t.equal((await server.call('viewer', `GET ${artifacts}/broken`)).status, 404, 'it is no artifact');
  const rest = (first: number, last = bytes.length) =>
    send(world, 'member', `PUT ${artifacts}/broken`, bytes.subarray(first, last), {
      ...whole,
      'content-range': `bytes ${first}-${last - 1}/${bytes.length}`,
    });
  const wrong = await rest(from + 1);
  t.match(wrong, { status: 409, json: { code: 'artifact_offset_wrong', offset: from } });
  t.match(await rest(from, from + 1000), { status: 202, json: { offset: from + 1000 } }, 'a piece at a time');
  const done = await rest(from + 1000);
  t.match(done, { status: 201, json: { size: bytes.length, digest: `sha256:${digest(bytes)}` } });
  t.ok((await send(world, 'viewer', `GET ${artifacts}/broken`)).bytes.equals(bytes));
  t.equal(await offset(), 0, 'the upload is over');
}

async function piecesThatDoNotFit(t: Test, world: World): Promise<void> {
  const put = (body: string, headers: Record<string, string>) =>
    send(world, 'member', `PUT ${world.artifacts}/pieces`, body, headers);
  const all = 'hello world';
  const whole = { 'repr-digest': reprDigest(all) };
  t.equal((await put('hello', { 'content-range': 'bytes 0-4/11' })).status, 400, 'a piece of what?');
  t.equal((await put('hell', { 'content-range': 'bytes 0-4/11', ...whole })).status, 400, 'another length');
  t.equal((await put('x', { 'content-range': 'bytes 0-0/*', ...whole })).status, 400);
  t.match(await put('hello', { 'content-range': 'bytes 0-4/11', ...whole }), { status: 202, json: { offset: 5 } });
  const twice = await put(' world', {
    'content-range': 'bytes 5-10/11',
    ...whole,
    'content-digest': reprDigest('other'),
  });
  t.equal(twice.status, 422);
  t.match(await put(' world', { 'content-range': 'bytes 5-10/11', ...whole }), { status: 409, json: { offset: 0 } });
  t.equal((await put('hello', { 'content-range': 'bytes 0-4/11', ...whole })).status, 202);
  t.equal(
    (await put(' World', { 'content-range': 'bytes 5-10/11', ...whole })).status,
    422,
    'the whole is another one',
  );
  t.equal((await put('hello', { 'content-range': 'bytes 0-4/11', ...whole })).status, 202, 'and begins anew');
  t.equal((await put(' world', { 'content-range': 'bytes 5-10/11', ...whole })).status, 201);
  t.equal((await put('', { 'content-range': 'bytes */11', ...whole })).status, 409, 'there is nothing to complete');
}

async function nothingIsLeft(t: Test, world: World): Promise<void> {
  t.same(await strays(world.server, world.folder), [], 'every file has a row, and every row its files');
  const { artifacts } = (await world.server.call('viewer', `GET ${world.artifacts}`)).json;
  await world.sweep();
  t.same(await strays(world.server, world.folder), []);
  for (const { path, digest: stored } of artifacts) {
    const { bytes } = await send(world, 'viewer', `GET ${world.artifacts}/${encodeURIComponent(path)}`);
    t.equal(`sha256:${digest(bytes)}`, stored, path);
  }
  for (const { path } of artifacts)
    await world.server.call('member', `DELETE ${world.artifacts}/${encodeURIComponent(path)}`);
  await world.sweep();
  t.same(await filesIn(world.folder), []);
}

for (const store of STORES)
  t.test(store, { timeout: 600_000 }, async (t) => {
    const world = await openWorld(t, { store });
    const next = async () => {
      const run_id = await world.submit();
      const at = `${world.server.scoped}/runs/${run_id}`;
      return { ...world, run_id, artifacts: `${at}/artifacts`, uploads: `${at}/artifact-uploads` };
    };
    await t.test('what is stored is read, listed, replaced and removed', (t) => whatIsStoredIsRead(t, world));
    await t.test('roles and other projects', async (t) => othersMayNot(t, await next()));
    await t.test('bad paths are refused', (t) => badPathsAreRefused(t, world));
    await t.test('ranges', (t) => rangesAreRead(t, world));
    await t.test('digests are checked', (t) => digestsAreChecked(t, world));
    await t.test('limits hold, announced or not', (t) => limitsHold(t, world));
    await t.test('a broken upload continues', (t) => brokenUploadsContinue(t, world));
    await t.test('pieces that do not fit', (t) => piecesThatDoNotFit(t, world));
    await t.test('nothing is left but what is named', (t) => nothingIsLeft(t, world));
  });

t.test('an artifact whose place is gone is an error of its own, and never other bytes', async (t) => {
  const world = await openWorld(t);
  await send(world, 'member', `PUT ${world.artifacts}/x`, 'text');
  await rm(world.folder, { recursive: true });
  const gone = await send(world, 'viewer', `GET ${world.artifacts}/x`);
  t.match(gone, { status: 503, json: { code: 'artifact_store_unavailable' } });
  t.notMatch(JSON.stringify(gone.json), /svc-artifacts-/, 'and no path of the machine');
  t.equal(
    (await send(world, 'member', `PUT ${world.artifacts}/y`, 'text')).status,
    503,
    'nor is anything put elsewhere',
  );
  t.match(await send(world, 'viewer', `GET ${world.artifacts}`), { status: 200, json: { artifacts: [{ path: 'x' }] } });
});
