import type { ServerResponse } from 'node:http';
import t from 'tap';
import { Clock, Database, Egress, Ids, Log } from '../../../kernel/contracts/index.ts';
import { boot, type TestServer } from '../../../test/kit/index.ts';
import { type BucketServer, startBucket } from '../../../test/support/bucket-server.ts';
import { PART_BYTES } from './domain/parts.ts';
import { openStores } from './service/open-stores.ts';
import { parseLocation } from './service/settings.ts';
import { Sweeper } from './service/sweeper.ts';
import { signHeaders } from '../../platform/egress/contract.ts';
import { noise, reprDigest } from './testing/files.ts';
import { openWorld } from './testing/world.ts';

t.setTimeout(600_000);

const settingsOf = (bucket: BucketServer): Record<string, string> => ({
  SVC_ARTIFACTS: `s3://${bucket.bucket}/svc/one`,
  SVC_ARTIFACTS_S3_ENDPOINT: bucket.url,
  SVC_ARTIFACTS_S3_ACCESS_KEY_ID: bucket.access_key_id,
  SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY: bucket.secret_access_key,
  SVC_EGRESS_ALLOW: '127.0.0.1',
});

const put = (url: string, body: Buffer | string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', headers: { authorization: 'Bearer member', ...headers }, body });
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { authorization: 'Bearer viewer', ...headers } });
/** Node's own answer is chained by nobody here: the HTTP framework changes what `writeHead` answers. */
function refuse(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status);
  response.end(body);
}
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

// The examples of "Signature Calculations for the Authorization Header" in the S3 API reference.
t.test('requests are signed as the API reference shows', async (t) => {
  const keys = {
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const at = Date.UTC(2013, 4, 24);
  const signature = (method: string, path: string, headers: Record<string, string> = {}, body_digest = empty) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
    return signHeaders(
      { method, url, headers, body_digest, region: 'us-east-1', service: 's3', at },
      keys,
    ).authorization?.slice(-64);
  };
  t.equal(
    signature('GET', '/test.txt', { range: 'bytes=0-9' }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  const dated = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  t.equal(
    signature('PUT', '/test$file.text', dated, '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
  t.equal(
    signature('GET', '/?max-keys=2&prefix=J'),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
});

t.test('artifacts in a bucket', async (t) => {
  const bucket = await startBucket();
  t.teardown(() => bucket.close());
  const world = await openWorld(t, { env: settingsOf(bucket) });
  const { server } = world;
  const url = `${server.url}${world.artifacts}`;
  const bytes = noise(PART_BYTES + 1000);

  await t.test('what is stored is read, in parts', async (t) => {
    t.equal((await put(`${url}/big`, bytes, { 'repr-digest': reprDigest(bytes) })).status, 201);
    t.same([...bucket.objects.keys()].map((key) => key.replace(/[0-9A-Z]{26}/, '*').replace(/\/..\//, '/xx/')).sort(), [
      'svc/one/xx/art_*.1-0',
      'svc/one/xx/art_*.1-1',
    ]);
    t.ok((await bytesOf(await get(`${url}/big`))).equals(bytes));
    const range = await get(`${url}/big`, { range: `bytes=${PART_BYTES - 3}-${PART_BYTES + 2}` });
    t.ok((await bytesOf(range)).equals(bytes.subarray(PART_BYTES - 3, PART_BYTES + 3)));
  });

  await t.test('a reader who is slow has little of it in memory', async (t) => {
    const asked: number[] = [];
    bucket.fault = ({ headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
      asked.push(Number(last) - Number(first) + 1);
      return false;
    };
    t.ok((await bytesOf(await get(`${url}/big`))).equals(bytes));
    bucket.fault = undefined;
    t.equal(Math.max(...asked), 1024 * 1024);
    t.equal(asked.length, 9);
  });

  await t.test('an upload continues there too', async (t) => {
    const first = { 'repr-digest': reprDigest(bytes), 'content-range': `bytes 0-999/${bytes.length}` };
    t.equal((await put(`${url}/pieces`, bytes.subarray(0, 1000), first)).status, 202);
    const rest = { ...first, 'content-range': `bytes 1000-${bytes.length - 1}/${bytes.length}` };
    t.equal((await put(`${url}/pieces`, bytes.subarray(1000), rest)).status, 201);
    t.ok((await bytesOf(await get(`${url}/pieces`))).equals(bytes));
  });

  await t.test('passing faults are retried, others are told in our own words', async (t) => {
    let faults = 2;
    bucket.fault = (request, response) => {
      faults -= 1;
      if (faults < 0) return false;
      if (faults === 0) request.socket.destroy();
      else refuse(response, 503, '<Error><Code>SlowDown</Code></Error>');
      return true;
    };
    t.equal((await put(`${url}/flaky`, 'text')).status, 201);
    const answers = (status: number, body: string) => {
      bucket.fault = (_, response) => {
        refuse(response, status, body);
        return true;
      };
    };
    answers(507, '<Error><Code>XMinioStorageFull</Code></Error>');
    const full = await put(`${url}/full`, 'text');
    t.match(await full.json(), { status: 507, code: 'artifact_store_full' });
    answers(403, `<Error><Code>AccessDenied</Code><Message>key ${bucket.secret_access_key}</Message></Error>`);
    const denied = await (await put(`${url}/denied`, 'text')).json();
    t.match(denied, { status: 503, code: 'artifact_store_unavailable', detail: /403 AccessDenied/ });
    t.notMatch(JSON.stringify(denied), /canary|AKTEST/);
    t.equal((await get(`${url}/big`)).status, 503);
    answers(206, 'short');
    t.equal((await get(`${url}/big`)).status, 503, 'too few bytes are no part');
    bucket.fault = undefined;
    t.equal((await get(`${url}/full`)).status, 404, 'and nothing half is there');
    const log = JSON.stringify(server.log.lines);
    t.notMatch(log, /canary-bucket-secret/);
  });

  await t.test('what was stored in the folder before can still be read; new ones go to the bucket', async (t) => {
    const database = { url: server.database.url, master_key: server.database.master_key, drop: async () => undefined };
    const plugins = ['artifacts'];
    const before = await boot({ database, plugins, idle: true });
    t.teardown(() => before.close());
    t.equal((await put(`${before.url}${world.artifacts}/old`, 'old')).status, 201);
    const elsewhere = await get(`${before.url}${world.artifacts}/big`);
    t.match(await elsewhere.json(), { code: 'artifact_store_unavailable' }, 'a server without the bucket says so');
    t.equal(await (await get(`${url}/old`)).text(), 'old');
    t.equal((await put(`${url}/old`, 'new')).status, 200);
    t.equal(
      ((await (await get(`${before.url}${world.artifacts}/old`)).json()) as { code: string }).code,
      'artifact_store_unavailable',
    );
  });

  await t.test('removed artifacts are removed there', async (t) => {
    for (const path of ['big', 'pieces', 'flaky', 'old'])
      t.equal((await server.call('member', `DELETE ${world.artifacts}/${path}`)).status, 204);
    const sweeper = sweeperOf(server, bucket);
    await server.use(Database).write('UPDATE artifacts_removals SET due = 0');
    await server.use(Database).write('UPDATE artifacts_uploads SET touched_at = 0');
    const [stuck] = bucket.objects.keys();
    bucket.fault = (request, response) => {
      const refused = request.method === 'DELETE' && request.url!.includes(stuck!);
      if (refused) refuse(response, 403, '<Error><Code>AccessDenied</Code></Error>');
      return refused;
    };
    let [failures, rounds] = [0, 0];
    for (; rounds < 5; rounds += 1) if ((await sweeper.sweep()).failure !== undefined) failures += 1;
    t.same([...bucket.objects.keys()], [stuck], 'what cannot be removed stands before none of the others');
    t.equal(failures, 1, 'and is put off');
    bucket.fault = undefined;
    for (let round = 0; round < 3; round += 1) {
      await sweeper.sweep();
      await server.use(Database).write('UPDATE artifacts_removals SET due = 0');
    }
    t.same([...bucket.objects.keys()], []);
  });
});

/** As the plugin makes one. */
function sweeperOf({ use, database }: TestServer, bucket: BucketServer): Sweeper {
  const place = parseLocation({ env: settingsOf(bucket), database_url: database.url, home: undefined });
  const [ids, clock] = [use(Ids), use(Clock)];
  const stores = openStores(place, { ids, clock, egress: () => use(Egress) });
  return new Sweeper({ database: use(Database), ids, clock, log: use(Log), stores, onRemoved: () => undefined });
}

t.test('settings that cannot be used stop the start, and show no key', async (t) => {
  const place = (env: Record<string, string>) =>
    parseLocation({ env, database_url: 'sqlite:/data/svc.db', home: '/home/x' });
  const keys = { SVC_ARTIFACTS_S3_ACCESS_KEY_ID: 'AK', SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY: 'canary-key' };
  t.equal(place({}).folder, '/data/artifacts');
  t.equal(parseLocation({ env: {}, database_url: 'mysql://x/y', home: '/home/x' }).folder, '/home/x/artifacts');
  t.equal(place({ SVC_ARTIFACTS: '/mnt/shared' }).folder, '/mnt/shared');
  t.match(place({ SVC_ARTIFACTS: 's3://b-1.x/p/q/', ...keys }).bucket, {
    ...{ bucket: 'b-1.x', prefix: 'p/q/', region: 'us-east-1', endpoint: 'https://s3.us-east-1.amazonaws.com' },
  });
  const wrongs: Record<string, string>[] = [
    { SVC_ARTIFACTS: 's3://' },
    { SVC_ARTIFACTS: 's3://B' },
    { SVC_ARTIFACTS: 's3://bucket/../x' },
    { SVC_ARTIFACTS: 's3://user:canary-key@bucket' },
    { SVC_ARTIFACTS: 's3://user:canary/key@canary@bucket/prefix' },
    { SVC_ARTIFACTS: 's3:user:canary-key@bucket' },
    { SVC_ARTIFACTS: 's3://bucket?secret=canary-key' },
    { SVC_ARTIFACTS_S3_ENDPOINT: 'minio:9000' },
    { SVC_ARTIFACTS_S3_ENDPOINT: 'http://user:canary-key@minio:9000' },
    { SVC_ARTIFACTS_S3_ENDPOINT: 'https://minio/path' },
    { SVC_ARTIFACTS_S3_REGION: 'eu central' },
    { SVC_ARTIFACTS_S3_ACCESS_KEY_ID: '' },
    { SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY: 'canary-key with blanks' },
  ];
  for (const wrong of wrongs) {
    const env = { SVC_ARTIFACTS: 's3://bucket', ...keys, ...wrong };
    t.throws(
      () => place(env),
      { code: 'setting_invalid', message: /^(?!.*canary).*SVC_ARTIFACTS/ },
      JSON.stringify(wrong),
    );
  }
  await t.rejects(boot({ plugins: ['artifacts'], env: { SVC_ARTIFACTS: 's3://bucket' } }), { code: 'setting_invalid' });
  await t.rejects(boot({ plugins: ['artifacts'], env: { SVC_ARTIFACT_LIMIT: '5' } }), { code: 'setting_invalid' });
});
