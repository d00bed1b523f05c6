import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify, UnsecuredJWT } from 'jose';
import t, { type Test } from 'tap';
import { Database, Sealer } from '../../../kernel/contracts/index.ts';
import { RunEngine, RunStore } from '../../engine/runs/contract.ts';
import { bootEngine, openTestDatabase, STORES, tablesWith, type TestDatabase } from '../../../test/kit/index.ts';
import { PUBLISHED_EARLY_MS } from './domain/limits.ts';
import { readPrivateKey } from './store/keys.ts';
import type { PublicKey } from './domain/jwt.ts';

t.setTimeout(600_000);

const ISSUER = 'https://svc.example';
const DOOMED = fileURLToPath(new URL('testing/doomed-rotation.ts', import.meta.url));

async function open(t: Test, database: TestDatabase, plugins: readonly string[] = []) {
  const env = { SVC_ID_TOKENS: 'on', SVC_PUBLIC_URL: ISSUER };
  const engine = await bootEngine({ database, access: 'project', plugins: ['id-tokens', ...plugins], env });
  t.teardown(() => engine.close());
  const made = await engine.call('owner', 'POST /api/v1/tokens', { name: randomUUID(), kind: 'agent', org: 'acme' });
  return Object.assign(engine, { agent_token: made.json.token as string });
}

type Server = Awaited<ReturnType<typeof open>>;
type Submission = Parameters<Server['submit']>[0];
type Claim = Awaited<ReturnType<Server['claim']>>;

async function openOwn(t: Test, ...plugins: string[]): Promise<Server> {
  const database = await openTestDatabase('sqlite');
  t.teardown(() => database.drop());
  return open(t, database, plugins);
}

async function claimed(server: Server, more: Submission = {}): Promise<Claim> {
  await server.use(RunEngine).submit(server.submit(more));
  return server.claim();
}

const request = (server: Server, { activity_id, epoch }: Pick<Claim, 'activity_id' | 'epoch'>, body: object = {}) =>
  server.call(server.agent_token, `POST /api/v1/agents/activities/${activity_id}/id-tokens?epoch=${epoch}`, {
    audience: 'cloud',
    ...body,
  });

async function tokenOf(server: Server, claim: Claim): Promise<string> {
  const { status, json, text } = await request(server, claim);
  if (status !== 201) throw new Error(text);
  return json.token as string;
}

/** A relying party that leaves the algorithm to the key. */
const verifies = async (server: Server, token: string): Promise<boolean> => {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', server.url), {
    cooldownDuration: 0,
    cacheMaxAge: 0,
  });
  return jwtVerify(token, keys, { issuer: ISSUER, audience: 'cloud' }).then(
    () => true,
    () => false,
  );
};

const published = async (server: Server): Promise<PublicKey[]> =>
  (await server.call(undefined, 'GET /.well-known/jwks.json')).json.keys as PublicKey[];

/** Runs a rotation in a process of its own that kills itself. */
async function dieWhileRotating({ url, master_key }: TestDatabase, reason: string, failpoint: string): Promise<void> {
  const child = spawn(process.execPath, [DOOMED, url, master_key, reason], {
    env: { ...process.env, SVC_FAILPOINTS: failpoint },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal !== 'SIGKILL') throw new Error(`the rotation was not killed at ${failpoint}`);
}

// @store: a rotation is a transaction.
for (const store of STORES)
  t.test(`${store}: a rotation that is killed leaves a key that signs and is published`, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    const server = await open(t, database);
    const claim = await claimed(server);
    const signsWithPublished = async (what: string) => {
      const token = await tokenOf(server, claim);
      const kids = (await published(server)).map(({ kid }) => kid);
      t.ok(kids.includes(decodeProtectedHeader(token).kid!), `${what}: the key that signs is published`);
      t.ok(await verifies(server, token), `${what}: a new token verifies`);
      return token;
    };
    const old = await signsWithPublished('before');
    const [first] = await published(server);

    await dieWhileRotating(database, 'requested', 'id-tokens.rotating');
    t.same(await published(server), [first], 'nothing of a rotation that did not commit is left');
    await signsWithPublished('after a kill before the commit');
    await dieWhileRotating(database, 'requested', 'id-tokens.rotated');
    t.equal((await published(server)).length, 2, 'a rotation that committed is done');
    t.ok(await verifies(server, old), 'an old token verifies until it ends');
    await signsWithPublished('after a kill behind the commit');
    await server
      .use(Database)
      .transaction((tx) => tx.write('UPDATE id_tokens_keys SET signs_from = signs_from - ?', [PUBLISHED_EARLY_MS]));
    const young = await signsWithPublished('once the new key signs');
    t.not(decodeProtectedHeader(young).kid, decodeProtectedHeader(old).kid);
    t.ok(await verifies(server, old));

    if (store === 'sqlite') await dieWhileRotating(database, 'revoke', 'id-tokens.rotating');
    t.ok(await verifies(server, young), 'a revocation that did not commit revokes nothing');
    await dieWhileRotating(database, 'revoke', 'id-tokens.rotated');
    t.notOk(await verifies(server, young), 'one that committed revokes, also on a server that has the old key open');
    await signsWithPublished('after a revocation');
  });

t.test('a token that svc did not sign is not valid, whatever its header says', async (t) => {
  const server = await openOwn(t);
  const token = await tokenOf(server, await claimed(server));
  const claims = decodeJwt(token);
  const [jwk] = await published(server);
  t.match(jwk, { alg: 'RS256', use: 'sig', kty: 'RSA' }, 'the key names its algorithm, so that no verifier guesses');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = (header: object, signer: (content: string) => Buffer, payload: JWTPayload = claims) => {
    const content = `${encode({ typ: 'JWT', ...header })}.${encode(payload)}`;
    return `${content}.${signer(content).toString('base64url')}`;
  };
  const pem = createPublicKey({ key: { ...jwk! }, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const hmac = (key: string | Buffer) => (content: string) => createHmac('sha256', key).update(content).digest();
  const { privateKey: own, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = (content: string) => sign('RSA-SHA256', Buffer.from(content), own);
  const own_jwk = publicKey.export({ format: 'jwk' });
  const { kid } = jwk!;
  const [head, , signature] = token.split('.');
  const forgeries = {
    'no algorithm': new UnsecuredJWT(claims).encode(),
    'none with a key': forged({ alg: 'none', kid }, () => Buffer.alloc(0)),
    'the public key as a secret': forged({ alg: 'HS256', kid }, hmac(pem)),
    'its modulus as a secret': forged({ alg: 'HS256', kid }, hmac(Buffer.from(jwk!.n, 'base64url'))),
    'another key': forged({ alg: 'RS256', kid }, rsa),
    'a key in the header': forged({ alg: 'RS256', kid, jwk: own_jwk }, rsa),
    'a set of keys elsewhere': forged({ alg: 'RS256', kid, jku: 'https://evil.example/jwks.json' }, rsa),
    'a name of a file as key': forged({ alg: 'HS256', kid: '../../../dev/null' }, hmac('')),
    'other claims': `${head}.${encode({ ...claims, trusted: true, sub: 'org:x' })}.${signature}`,
  };
  t.ok(await verifies(server, token));
  for (const [what, forgery] of Object.entries(forgeries)) t.notOk(await verifies(server, forgery), what);
});

t.test('what a run is called and gets forges no claim', async (t) => {
  const server = await openOwn(t);
  const { org, project } = server.scope;
  const prefix = `org:${org}:project:${project}:workflow:`;
  for (const filename of [
    'deploy.sh:ref:refs/heads/main',
    '","trusted":true,"ref":"refs/heads/main',
    'a%3Aref%3Arefs/heads/main',
    '__proto__',
    'ünï/cödé\u{1f600}.sh',
    'x'.repeat(200),
  ]) {
    const claim = await claimed(server, {
      filename,
      input: { ref: 'refs/heads/main', trusted: true, repository: 'x' },
    });
    const payload = decodeJwt(await tokenOf(server, claim));
    t.ok(payload.sub!.startsWith(prefix), filename);
    t.notMatch(payload.sub!.slice(prefix.length), ':', 'its name is one segment of the subject');
    t.notOk('ref' in payload || 'repository' in payload || 'sha' in payload, 'only a forge sets these');
    t.match(payload, { run_id: claim.run_id, org, project, trusted: true });
    await server.agent.end(claim);
  }
});

t.test('an untrusted run gets no token, nor does what it starts, nor a claim that is not its own', async (t) => {
  const server = await openOwn(t, 'children');
  const untrusted = await claimed(server, { trusted: false });
  const refused = { status: 403, json: { code: 'id_token_untrusted' } };
  t.match(await request(server, untrusted), refused);
  await server.use(RunStore).perform(untrusted, {
    ...{ position: 0, kind: 'spawn', name: '', ordinal: 0, digest: '', started_at: 0 },
    args: { source: 'true' },
  });
  const child = await server.claim();
  t.not(child.run_id, untrusted.run_id);
  t.match(await request(server, child), refused, 'its child is as untrusted as it is');

  const one = await claimed(server);
  const two = await claimed(server);
  const mixed = await Promise.all([
    request(server, { activity_id: one.activity_id, epoch: two.epoch + 1 }),
    request(server, { activity_id: untrusted.activity_id, epoch: one.epoch }),
    request(server, one),
  ]);
  t.same(
    mixed.map(({ status }) => status),
    [409, 403, 201],
  );
  t.equal(decodeJwt(mixed[2]!.json.token).run_id, one.run_id, 'a token names the run of its claim');
  t.equal((await server.call('owner', `POST ${server.scoped}/runs/${two.run_id}/cancel`, {})).status, 200);
  t.match(
    await request(server, two),
    { status: 409, json: { code: /^(lease_lost|run_finished)$/ } },
    'it was cancelled',
  );
  for (const body of [
    { run_id: one.run_id },
    { audience: 'a\u202eb' },
    { audience: 'x'.repeat(1_000_000) },
    { audience: {} },
  ])
    t.match(await request(server, one, body), { status: 400, json: { code: 'invalid_request' } });
});

t.test('the private key is in no table, file or log in plain', async (t) => {
  const database = await openTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const server = await open(t, database);
  const token = await tokenOf(server, await claimed(server));
  const { kid = '' } = decodeProtectedHeader(token);
  const der = await readPrivateKey(server.use(Database), server.use(Sealer), kid);
  const { d, p, q } = createPrivateKey({ key: der!, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
  const file = fileURLToPath(database.url.replace(/^sqlite:(\/\/)?/, 'file://'));
  const stored = Buffer.concat(
    await Promise.all([file, `${file}-wal`].map((path) => readFile(path).catch(() => Buffer.alloc(0)))),
  );
  t.ok(stored.includes(kid), 'the file has the row');
  const logged = JSON.stringify(server.log.lines);
  for (const secret of [d!, p!, q!]) {
    const bytes = Buffer.from(secret, 'base64url');
    t.same(await tablesWith(server.use(Database), secret), []);
    for (const form of [secret, bytes, bytes.toString('hex'), bytes.toString('base64')]) {
      t.notOk(stored.includes(form), 'a backup of the file has it sealed');
      t.notOk(logged.includes(form.toString()));
    }
  }
  t.notOk(logged.includes(token), 'no log has a token');
  const answers = ['/.well-known/jwks.json', '/.well-known/openid-configuration', '/metrics', '/api/v1/openapi.json'];
  for (const path of answers) t.notMatch((await server.call('owner', `GET ${path}`)).text, d!, path);
});
