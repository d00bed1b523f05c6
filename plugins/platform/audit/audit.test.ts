import t from 'tap';
import { Database, type Param } from '../../../kernel/contracts/index.ts';
import { Bootstrap, Scopes } from '../../security/access/contract.ts';
import { Audit, type AuditEntry } from './contract.ts';
import { truncateText, checkAction } from './domain/bounds.ts';
import { insertEntries, listEntries, type EntryPosition } from './store/entries.ts';
import { prunableEntries } from './store/prune.ts';
import { boot, STORES } from '../../../test/kit/index.ts';

t.test('texts are cut at whole characters, actions are nouns and verbs', async (t) => {
  t.equal(truncateText('a'.repeat(300)).length, 255);
  const faces = truncateText('😀'.repeat(300));
  t.equal([...faces].length, 255);
  t.ok(faces.isWellFormed());
  t.equal(truncateText('a\ud800'), 'a\ufffd', 'half a character would be refused by the database');
  for (const bad of ['', 'run', 'run.', '.run', 'Run.read', 'run.read.it', `run.${'x'.repeat(64)}`, "a.b'"])
    t.throws(() => checkAction(bad), /not an audit action/, bad);
});

for (const store of STORES)
  t.test(`audit on ${store}`, async (t) => {
    const server = await boot({ store, access: 'empty', plugins: ['access'] });
    t.teardown(() => server.close());
    const owner = (await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
    const scope = (await server.use(Scopes).findProject('acme', 'web'))!;
    const database = server.use(Database);
    const audit = server.use(Audit);
    const ana = { kind: 'user', id: 'usr_ana', name: 'ana', token_id: 'tok_1', org_id: null } as const;
    const entry = (subject: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
      org_id: scope.org_id,
      project_id: scope.project_id,
      principal: ana,
      action: 'run.cancel',
      subject,
      request_id: 'req_1',
      ip: '192.0.2.1',
      ...more,
    });
    const list = async (query = '', where = '/projects/web') =>
      (await server.call(owner, `GET /api/v1/orgs/acme${where}/audit${query}`)).json;
    const subjects = async (query = '') => (await list(query)).entries.map((one: { subject: string }) => one.subject);

    await t.test('an entry is there exactly when the change is', async (t) => {
      const lost = database.transaction(async (tx) => {
        await audit.record(tx, entry('lost'));
        throw new Error('the change fails');
      });
      await t.rejects(lost, /the change fails/);
      t.same(await subjects(), []);
      await database.transaction((tx) => audit.record(tx, entry('kept', { detail: 'why' })));
      const { entries } = await list();
      t.match(entries, [
        {
          id: /^aud_/,
          at: /^20.*Z$/,
          principal: { kind: 'user', id: 'usr_ana', name: 'ana', token_id: 'tok_1' },
          action: 'run.cancel',
          subject: 'kept',
          detail: 'why',
          request_id: 'req_1',
          ip: '192.0.2.1',
        },
      ]);
      t.equal(entries.length, 1);
    });

    await t.test('pages, newest first, and every filter', async (t) => {
      server.clock.advance(1000);
      const many = Array.from({ length: 150 }, (_, n) => entry(`many ${n}`, { action: 'run.submit', principal: null }));
      await database.transaction((tx) => audit.recordAll(tx, many));
      await database.transaction((tx) => audit.record(tx, entry('S', { action: 'secret.read' })));
      await database.transaction((tx) => audit.record(tx, entry('T', { action: 'secret.set' })));
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page: { entries: { subject: string }[]; next_cursor?: string } = await list(
          `?limit=60${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        seen.push(...page.entries.map(({ subject }) => subject));
        cursor = page.next_cursor;
      }
      const newest = Array.from({ length: 150 }, (_, n) => `many ${149 - n}`);
      t.same(seen, ['T', 'S', ...newest, 'kept'], 'each once');
      t.same(await subjects('?action=secret'), ['T', 'S']);
      t.same(await subjects('?action=secret.read'), ['S']);
      t.same(await subjects('?action=sec'), [], 'a noun is whole');
      t.same(await subjects('?principal=ana'), ['T', 'S', 'kept']);
      t.same(await subjects('?principal=usr_ana&action=run'), ['kept']);
      t.same(await subjects('?principal=Ana'), []);
      t.same(await subjects('?since=2000-01-01&action=secret.set'), ['T']);
      t.same(await subjects('?since=2999-01-01T00:00:00Z'), []);
      server.clock.advance(60_000);
      t.same(await subjects('?since=1h&principal=ana'), ['T', 'S', 'kept']);
      t.equal((await list('?action=run.submit&limit=1')).entries[0].principal, null);
      for (const bad of [
        'limit=0',
        'limit=201',
        'cursor=x',
        `cursor=${Buffer.from("1.aud_' OR 1=1").toString('base64url')}`,
        'action=%27',
        'action=Run',
        'action=run.',
        'principal=a%20b',
        'since=yesterday',
        'since=-1d',
        'since=2026-13-01',
        'who=ana',
      ])
        t.match(await server.call(owner, `GET /api/v1/orgs/acme/projects/web/audit?${bad}`), {
          status: 400,
          json: { code: 'invalid_request', errors: [{ pointer: /^\/query\// }] },
        });
    });

    await t.test('the org keeps its own', async (t) => {
      const by = { principal: null, detail: undefined };
      const { entries } = await list('', '');
      t.match(
        entries.map(({ action, subject, principal }: AuditEntry) => ({ action, subject, principal })),
        [
          { action: 'token.create', principal: by.principal },
          { action: 'project.create', subject: 'web', principal: by.principal },
          { action: 'org.create', subject: 'acme', principal: by.principal },
        ],
      );
      await server.call(owner, 'PUT /api/v1/orgs/acme/projects/web/members/ben', { role: 'viewer' });
      await server.call(owner, 'PUT /api/v1/orgs/acme/members/eve', { role: 'owner' });
      const made = await server.call(owner, 'POST /api/v1/tokens', {
        name: 'ci',
        org: 'acme',
        user: 'ben',
        role: 'viewer',
      });
      await server.call(owner, `DELETE /api/v1/tokens/${made.json.id}`);
      await server.call(owner, 'DELETE /api/v1/orgs/acme/members/eve');
      const done = (await list('?principal=olga', '')).entries.map(
        ({ action, subject, detail = '' }: AuditEntry) => `${action} ${subject} ${detail}`,
      );
      t.same(done, [
        'member.remove eve ',
        `token.revoke ${made.json.id} user ci, at most viewer`,
        `token.create ${made.json.id} user ci, at most viewer`,
        'member.set eve role owner',
      ]);
      t.match((await list('?principal=olga')).entries, [
        { action: 'member.set', subject: 'ben', detail: 'role viewer' },
      ]);
      t.notMatch(JSON.stringify(await list('', '')), made.json.token, 'never a value');
    });

    await t.test('a change that is refused, or changes nothing, leaves no entry', async (t) => {
      const count = async () => Number((await database.read('SELECT COUNT(*) AS n FROM audit_entries'))[0]!.n);
      const before = await count();
      await server.call(owner, 'PUT /api/v1/orgs/acme/projects/web');
      await server.call(owner, 'PUT /api/v1/orgs/acme');
      t.equal((await server.call(owner, 'DELETE /api/v1/orgs/acme/members/olga')).json.code, 'last_owner');
      t.equal((await server.call(owner, 'DELETE /api/v1/orgs/acme/members/nobody')).status, 404);
      t.equal((await server.call(owner, 'DELETE /api/v1/tokens/tok_x')).status, 404);
      t.equal(await count(), before);
    });

    await t.test('no route changes or removes an entry', async (t) => {
      for (const where of ['', '/projects/web'])
        for (const method of ['PUT', 'POST', 'DELETE'])
          t.equal((await server.call(owner, `${method} /api/v1/orgs/acme${where}/audit`)).status, 405);
      const [{ id }] = (await list()).entries;
      t.equal((await server.call(owner, `DELETE /api/v1/orgs/acme/projects/web/audit/${id}`)).status, 404);
    });

    await t.test('a search ends after so many entries, and goes on from there', async (t) => {
      await database.transaction(async (tx) => {
        for (let n = 0; n < 12; n += 1)
          await audit.record(tx, entry(`searched ${n}`, { action: n === 1 ? 'rare.thing' : 'usual.thing' }));
      });
      const { org_id, project_id } = scope;
      const search = { org_id, project_id, action: 'rare.thing', principal: undefined, since: undefined, limit: 50 };
      const found: string[] = [];
      let pages = 1;
      for (let before: EntryPosition | undefined; ; pages += 1) {
        const { rows, scanned_to } = await listEntries(database, { ...search, before }, { rows: 3, windows: 2 });
        found.push(...rows.map(({ subject }) => subject));
        before = scanned_to;
        if (before === undefined) break;
      }
      t.same(found, ['searched 1']);
      t.ok(pages >= 2, `${pages} pages`);
      t.same(await subjects('?action=rare.thing'), ['searched 1']);
    });

    await t.test('hostile names and long texts are kept, cut', async (t) => {
      const odd = `'; DROP TABLE audit_entries; -- 😀\\ "${'x'.repeat(400)}`;
      await database.transaction((tx) => audit.record(tx, entry(odd, { detail: odd, ip: 'f'.repeat(90) })));
      const [{ subject, detail, ip }] = (await list()).entries;
      t.equal(subject, [...odd].slice(0, 255).join(''));
      t.equal(detail, subject);
      t.equal(ip.length, 64);
    });
  });

for (const store of STORES)
  t.test(`pruning passes by projects without old entries, on ${store}`, async (t) => {
    const server = await boot({ store, access: 'empty', plugins: ['audit'], quiet: true });
    t.teardown(() => server.close());
    const database = server.use(Database);
    const columns = ['action', 'subject', 'detail', 'principal_kind', 'principal_id', 'principal_name', 'token_id'];
    const texts = Object.fromEntries([...columns, 'request_id', 'ip'].map((column) => [column, '']));
    const rows = Array.from({ length: 350 }, (_, n) => {
      const id = String(n).padStart(4, '0');
      return { ...texts, entry_id: `aud_${id}`, org_id: `org_${id}`, project_id: 'prj', at: n === 320 ? 9 : 10 };
    });
    await insertEntries(database, rows as unknown as Parameters<typeof insertEntries>[1]);
    const written: string[] = [];
    const watched = Object.assign(Object.create(null), {
      sql: database.sql,
      read: database.read.bind(database),
      write: (statement: string, params: Param[]) => {
        written.push(statement);
        return database.write(statement, params);
      },
    }) as Database;
    const removed: number[] = [];
    for await (const count of prunableEntries(watched).prune(10, 1000)) removed.push(count);
    t.same(removed, [0, 0, 0, 1], 'its caller has a turn, and may stop');
    t.equal(written.length, 1);
  });
