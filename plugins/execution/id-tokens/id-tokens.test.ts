import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { AdminCommands, Database, Ids, Sealer } from '../../../kernel/contracts/index.ts';
import { RunEngine } from '../../engine/runs/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import {
  type Answer,
  bootEngine,
  type EngineServer,
  openTestDatabase,
  STORES,
  type Store,
  tablesWith,
  type TestDatabase,
} from '../../../test/kit/index.ts';
import { ActivityTransfers } from '../agents/contract.ts';
import { subjectOf } from './domain/claims.ts';
import { MAX_KEY_AGE_MS, MAX_TOKENS_PER_HOUR, PUBLISHED_AFTER_MS, PUBLISHED_EARLY_MS } from './domain/limits.ts';
import { SigningKeys } from './service/signing-keys.ts';

t.setTimeout(600_000);

const ISSUER = 'https://svc.example';
const AUDIENCE = 'sts.amazonaws.com';
const ON = { SVC_ID_TOKENS: 'on', SVC_PUBLIC_URL: `${ISSUER}/` };

async function open(t: Test, store: Store, options: { env?: Record<string, string>; database?: TestDatabase } = {}) {
  const engine = await bootEngine({ store, access: 'project', plugins: ['id-tokens'], env: ON, ...options });
  t.teardown(() => engine.close());
  const made = await engine.call('owner', 'POST /api/v1/tokens', { name: randomUUID(), kind: 'agent', org: 'acme' });
  return Object.assign(engine, { agent_token: made.json.token as string });
}

type Server = Awaited<ReturnType<typeof open>>;

/** A run whose activity an agent has claimed. */
async function claimed(server: Server, more: Parameters<EngineServer['submit']>[0] = {}) {
  await server.use(RunEngine).submit(server.submit(more));
  return server.claim();
}

type Claim = Awaited<ReturnType<typeof claimed>>;

const request = (
  server: Server,
  { activity_id, epoch }: Pick<Claim, 'activity_id' | 'epoch'>,
  { caller = server.agent_token, ...body }: { caller?: string; [member: string]: unknown } = {},
): Promise<Answer> =>
  server.call(caller, `POST /api/v1/agents/activities/${activity_id}/id-tokens?epoch=${epoch}`, {
    audience: AUDIENCE,
    ...body,
  });

async function tokenOf(server: Server, claim: Claim): Promise<string> {
  const { status, json } = await request(server, claim);
  if (status !== 201) throw new Error(`no token: ${JSON.stringify(json)}`);
  return json.token as string;
}

/** A verifier as any relying party has it, which reads the keys from the server. */
const verifier = (server: Server) => {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', server.url), {
    cooldownDuration: 0,
    cacheMaxAge: 0,
  });
  return (token: string) => jwtVerify(token, keys, { issuer: ISSUER, audience: AUDIENCE, algorithms: ['RS256'] });
};

const kidOf = (token: string) => decodeProtectedHeader(token).kid;

const published = async (server: Server): Promise<string[]> =>
  (await server.call(undefined, 'GET /.well-known/jwks.json')).json.keys.map(({ kid }: { kid: string }) => kid);

/** As if so much time had passed for the keys. */
const age = (server: Server, ms: number) =>
  server.use(Database).transaction((tx) => tx.write('UPDATE id_tokens_keys SET signs_from = signs_from - ?', [ms]));

const keysOf = (server: Server) => new SigningKeys({ database: server.use(Database), sealer: server.use(Sealer) });

// @store: keys, counts and masks are rows.
for (const store of STORES) {
  t.test(`${store}: a relying party discovers the issuer and verifies a token of a run`, async (t) => {
    const server = await open(t, store);
    const fetched: string[] = [];
    const discovered = await processDiscoveryResponse(
      new URL(ISSUER),
      await discoveryRequest(new URL(ISSUER), {
        [customFetch]: (url) => {
          fetched.push(url);
          return fetch(url.replace(ISSUER, server.url));
        },
      }),
    );
    t.same(fetched, [`${ISSUER}/.well-known/openid-configuration`]);
    t.match(discovered, {
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['RS256'],
    });

    const claim = await claimed(server, { trigger: { type: 'manual' } });
    const answer = await request(server, claim);
    t.equal(answer.status, 201, answer.text);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    const token: string = answer.json.token;
    const { payload, protectedHeader } = await verifier(server)(token);
    t.match(protectedHeader, { alg: 'RS256', typ: 'JWT', kid: (await published(server))[0] });
    const { org, org_id, project, project_id } = server.scope;
    const run = (await server.call('viewer', `GET ${server.scoped}/runs/${claim.run_id}`)).json;
    t.match(payload, {
      iss: ISSUER,
      sub: `org:${org}:project:${project}:workflow:${run.workflow}`,
      aud: AUDIENCE,
      ...{ org, org_id, project, project_id, run_id: claim.run_id, workflow: run.workflow, workflow_kind: run.kind },
      ...{ trigger: 'manual', trusted: true },
    });
    t.equal(payload.exp! - payload.iat!, 600);
    t.equal(payload.iat! - payload.nbf!, 60);
    t.notOk('ref' in payload || 'sha' in payload || 'repository' in payload, 'no forge started the run');
    const claims_supported = discovered.claims_supported as string[];
    t.same(
      Object.keys(payload).filter((name) => !claims_supported.includes(name)),
      [],
    );

    const longer = await request(server, claim, { lifetime_ms: 3_600_000 });
    const other = await verifier(server)(longer.json.token);
    t.equal(other.payload.exp! - other.payload.iat!, 3600);
    t.not(other.payload.jti, payload.jti);
    await t.rejects(verifier(server)(`${token.slice(0, -4)}AAAA`), errors.JWSSignatureVerificationFailed);

    const signature = token.split('.')[2]!;
    const masker = await server.use(RunMasks).of(claim);
    t.equal(masker.text(`it is ${token}.`), 'it is ***.');
    t.equal(masker.text(`it is ${token.split('.').slice(1).join('.')}.`).includes(signature), false);
    t.same(await tablesWith(server.use(Database), signature), [], 'no table has it');
    const audit = (await server.call('owner', `GET ${server.scoped}/audit?action=id_token.issue`)).json;
    t.match(audit.entries[1], { subject: claim.run_id, detail: `${payload.jti} for ${AUDIENCE}` });
    t.equal(audit.entries.length, 2);
  });

  t.test(`${store}: nobody else gets a token`, async (t) => {
    const server = await open(t, store);
    const claim = await claimed(server);
    for (const caller of ['nobody', 'viewer', 'member', 'admin', 'owner'])
      t.match(await request(server, claim, { caller }), { status: caller === 'nobody' ? 401 : 403 });
    t.match(await request(server, { ...claim, epoch: claim.epoch + 1 }), { status: 409, json: { code: 'lease_lost' } });
    t.match(await request(server, { ...claim, activity_id: server.use(Ids).next('act') }), {
      status: 409,
      json: { code: 'lease_lost' },
    });
    for (const audience of ['', 'a b', 'a\n', 'ä', 'x'.repeat(256), ['a', 'b'], null])
      t.match(await request(server, claim, { audience }), { status: 400, json: { code: 'invalid_request' } });
    for (const lifetime_ms of [59_999, 3_600_001, 0, -1, 1.5, '10m'])
      t.match(await request(server, claim, { lifetime_ms }), { status: 400, json: { code: 'invalid_request' } });
    for (const claims of [{ sub: 'org:x' }, { project: 'other' }, { trusted: true }])
      t.match(await request(server, claim, claims), { status: 400, json: { code: 'invalid_request' } });

    const untrusted = await claimed(server, { trusted: false });
    t.match(await request(server, untrusted), { status: 403, json: { code: 'id_token_untrusted' } });

    await server.agent.end(claim);
    t.match(await request(server, claim), { status: 409, json: { code: /^(lease_lost|run_finished)$/ } });
    t.equal((await server.use(Database).read('SELECT run_id FROM id_tokens_issued')).length, 0);
  });

  t.test(`${store}: agents of other orgs and projects get no token`, async (t) => {
    const server = await open(t, store);
    const claim = await claimed(server);
    const { org, project } = server.scope;
    const agent = async (body: object) =>
      (await server.call('owner', 'POST /api/v1/tokens', { name: 'a', kind: 'agent', ...body })).json.token as string;
    await server.call('owner', `PUT /api/v1/orgs/${org}/projects/second`, {});
    const [own, second] = [await agent({ org, project }), await agent({ org, project: 'second' })];
    t.match(await request(server, claim, { caller: second }), { status: 409, json: { code: 'lease_lost' } });
    t.match(await request(server, claim, { caller: own }), { status: 201 });
    const { token } = (await server.call('rival', 'POST /api/v1/tokens', { name: 'r', kind: 'agent', org: 'rival' }))
      .json;
    t.match(await request(server, claim, { caller: token }), { status: 409, json: { code: 'lease_lost' } });
  });

  t.test(`${store}: a run is issued so many tokens within an hour`, async (t) => {
    const server = await open(t, store);
    const claim = await claimed(server);
    await tokenOf(server, claim);
    const database = server.use(Database);
    const spend = (issued: number) =>
      database.transaction((tx) => tx.write('UPDATE id_tokens_issued SET issued = ?', [issued]));
    await spend(MAX_TOKENS_PER_HOUR - 2);
    // Requests at the same time count one by one.
    const answers = await Promise.all(Array.from({ length: 6 }, () => request(server, claim)));
    t.same(answers.map(({ status }) => status).toSorted(), [201, 201, 429, 429, 429, 429]);
    t.match(answers.find(({ status }) => status === 429)!.json, { code: 'id_token_limit' });
    t.same(await database.read('SELECT issued FROM id_tokens_issued'), [{ issued: MAX_TOKENS_PER_HOUR }]);
    const next = await claimed(server);
    t.match(await request(server, next), { status: 201 }, 'another run has its own');
    await database.transaction((tx) =>
      tx.write('UPDATE id_tokens_issued SET hour_began_at = hour_began_at - 3600000 WHERE run_id = ?', [claim.run_id]),
    );
    t.match(await request(server, claim), { status: 201 }, 'a new hour has begun');
  });

  t.test(`${store}: a rotated key verifies until its tokens have expired, and no longer`, async (t) => {
    const server = await open(t, store);
    const claim = await claimed(server);
    const verify = verifier(server);
    const [first] = await published(server);
    const old = await tokenOf(server, claim);
    t.equal(kidOf(old), first);

    const command = server.use.all(AdminCommands).find(({ name }) => name === 'rotate-id-token-key')!;
    const rotated = await command.run(server.use, {});
    const { key_id } = rotated.json as { key_id: string };
    t.match(rotated.text, /^key \S+ signs from 20/);
    t.same(await published(server), [first, key_id], 'it is published before it signs');
    t.equal(kidOf(await tokenOf(server, claim)), first);
    t.match(await command.run(server.use, {}), { json: { key_id, pending: true }, text: /already in progress/ });

    await age(server, PUBLISHED_EARLY_MS);
    const young = await tokenOf(server, claim);
    t.equal(kidOf(young), key_id, 'after ten minutes it signs');
    await verify(young);
    await verify(old);

    await age(server, PUBLISHED_AFTER_MS - 60_000);
    await verify(old);
    await age(server, 60_000);
    t.same(await published(server), [key_id]);
    await t.rejects(verify(old), errors.JWKSNoMatchingKey);
    await verify(young);

    await command.run(server.use, {});
    t.equal((await server.use(Database).read('SELECT key_id FROM id_tokens_keys')).length, 2, 'a rotation removes it');
  });

  t.test(`${store}: a revoked key verifies nothing from then on`, async (t) => {
    const server = await open(t, store);
    const claim = await claimed(server);
    const old = await tokenOf(server, claim);
    await keysOf(server).rotate('requested');
    const command = server.use.all(AdminCommands).find(({ name }) => name === 'rotate-id-token-key')!;
    const { key_id } = (await command.run(server.use, { revoke: true })).json as { key_id: string };
    t.same(await published(server), [key_id]);
    await t.rejects(verifier(server)(old), errors.JWKSNoMatchingKey);
    const young = await tokenOf(server, claim);
    t.equal(kidOf(young), key_id);
    await verifier(server)(young);
  });

  t.test(`${store}: servers on one database agree on the keys, and rotate once`, async (t) => {
    const database = await openTestDatabase(store);
    t.teardown(() => database.drop());
    const one = await open(t, store, { database });
    const two = await open(t, store, { database });
    t.same(await published(one), await published(two), 'both have started with the same key');
    t.equal((await published(one)).length, 1);
    const claim = await claimed(one);
    await verifier(two)(await tokenOf(one, claim));

    const rotations = await Promise.all([one, two, one, two].map((server) => keysOf(server).rotate('requested')));
    t.equal(new Set(rotations.map(({ key_id }) => key_id)).size, 1);
    t.equal((await published(two)).length, 2);
    await age(one, PUBLISHED_EARLY_MS);
    const [mine, theirs] = [await tokenOf(one, claim), await tokenOf(two, claim)];
    t.equal(kidOf(mine), rotations[0]!.key_id);
    t.equal(kidOf(theirs), rotations[0]!.key_id);
    await verifier(one)(theirs);

    await age(one, MAX_KEY_AGE_MS + 60_000);
    await Promise.all([one, two].map((server) => request(server, claim)));
    const kids = await published(one);
    t.equal(kids.length, 2, 'an old key gets one successor by itself');
    t.equal(kidOf(await tokenOf(two, claim)), kids[0], 'which does not sign yet');
  });
}

t.test('a private key is neither readable nor of use elsewhere', async (t) => {
  const server = await open(t, 'sqlite');
  const set = (await server.call(undefined, 'GET /.well-known/jwks.json')) as { json: JSONWebKeySet };
  const [row] = await server
    .use(Database)
    .read<{ jwk: string; private_key: Buffer }>('SELECT jwk, private_key FROM id_tokens_keys');
  t.notOk('d' in JSON.parse(row!.jwk));
  t.same(Object.keys(set.json.keys[0]!).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
  t.ok(createLocalJWKSet(set.json));
  await server.use(Database).transaction((tx) => tx.write('UPDATE id_tokens_keys SET key_id = ?', ['another']));
  const answer = await request(server, await claimed(server));
  t.match(answer, { status: 500, json: { code: 'sealed_value_unreadable' } });
});

t.test('a server issues no tokens unless it is told to', async (t) => {
  const server = await open(t, 'sqlite', { env: { SVC_PUBLIC_URL: ISSUER } });
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json'])
    t.match(await server.call(undefined, `GET ${path}`), { status: 409, json: { code: 'id_tokens_off' } });
  const claim = await claimed(server);
  t.match(await request(server, claim), { status: 409, json: { code: 'id_tokens_off' } });
  const tokens = server.use.all(ActivityTransfers).find((transfer) => 'tokens' in transfer)!;
  const work = tokens.tokens({ claim, signal: new AbortController().signal });
  await t.rejects(work.issue({ audience: AUDIENCE }), { code: 'id_tokens_off' });
  t.same(await server.use(Database).read('SELECT key_id FROM id_tokens_keys'), []);

  await t.rejects(bootEngine({ plugins: ['id-tokens'], env: { SVC_ID_TOKENS: 'on' } }), /SVC_PUBLIC_URL is not set/);
  await t.rejects(bootEngine({ plugins: ['id-tokens'], env: { SVC_ID_TOKENS: 'yes' } }), /must be on or off/);
});

t.test('no part of a subject can pretend to be another', async (t) => {
  const base = { org: 'acme', org_id: 'org_1', project: 'web', project_id: 'prj_1', kind: 'script', run_id: 'run_1' };
  const subject = (workflow: string, ref?: string) => subjectOf({ ...base, trigger: 'push', workflow, ref });
  t.equal(subject('deploy.sh'), 'org:acme:project:web:workflow:deploy.sh');
  t.equal(subject('deploy.sh', 'refs/heads/main'), 'org:acme:project:web:workflow:deploy.sh:ref:refs/heads/main');
  t.equal(subject('deploy.sh:ref:refs/heads/main'), 'org:acme:project:web:workflow:deploy.sh%3Aref%3Arefs/heads/main');
  t.not(subject('a%3Ab'), subject('a:b'));
});
