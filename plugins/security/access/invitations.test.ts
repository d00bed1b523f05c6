import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { OPERATOR } from '../../platform/audit/contract.ts';
import { Members, Scopes } from './contract.ts';
import { INVITATION_MS, MAX_PENDING } from './domain/invitation.ts';
import { invitations as migration } from './migrations/0004-invitations.ts';
import { ACME, RIVAL, TwoOrgs, WEB } from './testing/two-orgs.ts';

for (const store of STORES)
  t.test(`members by invitation, on ${store}`, async (t) => {
    const orgs = await TwoOrgs.open(t, store);
    const { call, owner, rival } = orgs;

    await t.test('who has an account elsewhere is asked, and is nobody before the answer', async (t) => {
      const zoe = await orgs.made('zoe');
      const { status, json } = await call(owner, `PUT ${WEB}/members/zoe`, { role: 'admin' });
      t.equal(status, 202);
      t.same(Object.keys(json).sort(), ['created_at', 'expires_at', 'invited_by', 'role', 'status', 'user']);
      t.match(json, { status: 'invited', user: 'zoe', role: 'admin', invited_by: 'olga' });
      t.equal(Date.parse(json.expires_at) - Date.parse(json.created_at), INVITATION_MS);
      for (const path of [ACME, `${ACME}/members`, WEB, `${WEB}/members`, `${WEB}/invitations`])
        t.equal((await call(zoe, `GET ${path}`)).status, 404, path);
      t.notMatch((await call(zoe, 'GET /api/v1/whoami')).text, /acme/);
      for (const place of [ACME, WEB]) {
        t.notOk(await orgs.isMember(place, 'zoe'), place);
        t.notMatch((await call(owner, `GET ${place}/members`)).text, /zoe/);
        t.equal((await call(owner, `DELETE ${place}/members/zoe`)).status, 404);
      }
      const wish = { name: 'z', org: 'acme', user: 'zoe' };
      t.match((await call(owner, 'POST /api/v1/tokens', wish)).json, { code: 'not_found', detail: /not a member/ });

      const [asked, ...others] = await orgs.pending(zoe);
      t.same(others, []);
      t.match(asked, { org: 'acme', project: 'web', role: 'admin', invited_by: 'olga', expires_at: json.expires_at });
      const accepted = await orgs.accept(zoe, asked!.id);
      t.same(accepted.json, { org: 'acme', project: 'web', role: 'admin', token_reaches: false });
      t.match((await call(owner, `GET ${WEB}/members/zoe`)).json, { role: 'admin' });
      t.match((await call(owner, `GET ${ACME}/members/zoe`)).json, { role: 'member' });
      t.equal((await call(zoe, `GET ${WEB}`)).status, 404, 'her token is of the other org');
      t.equal((await call(await orgs.tokenOf('zoe', ACME), `GET ${WEB}/members`)).status, 200);
      t.equal((await orgs.accept(zoe, asked!.id)).status, 404, 'once');
      t.same(await orgs.told('zoe'), ['create role admin by olga', 'accept role admin by zoe']);
    });

    await t.test('the audit of the org tells who answered, not from where', async (t) => {
      const { json } = await call(owner, `GET ${WEB}/audit?action=invitation.accept`);
      t.match(json.entries, [{ subject: 'zoe', ip: '', principal: { name: 'zoe', token_id: '' } }]);
    });

    await t.test('who is of this org is added at once, wherever else they are', async (t) => {
      const set = (place: string, role: string, user: string) => call(owner, `PUT ${place}/members/${user}`, { role });
      t.equal((await set(ACME, 'member', 'new-one')).status, 201, 'a name that nobody has');
      t.equal((await set(WEB, 'viewer', 'new-one')).status, 201);
      t.equal((await set(WEB, 'viewer', 'zoe')).status, 200, 'a lower role needs no answer');
      t.equal((await set(ACME, 'owner', 'zoe')).status, 200, 'nor does one in the org that they are in already');
      t.equal((await set(ACME, 'member', 'zoe')).status, 200);
      await call(owner, `DELETE ${ACME}/members/new-one`);
      t.equal((await set(ACME, 'member', 'new-one')).status, 201, 'whom this org made, and no other has');
      await call(owner, `DELETE ${ACME}/members/new-one`);
      t.equal((await call(rival, `PUT ${RIVAL}/members/new-one`, { role: 'member' })).status, 202, 'elsewhere made');
      await orgs.withdraw(rival, RIVAL, 'new-one');
    });

    await t.test('the same again changes nothing; another role takes the place of the first', async (t) => {
      const tom = await orgs.made('tom');
      const first = await orgs.invite(WEB, 'tom', tom, 'admin');
      const { json } = await call(owner, `PUT ${WEB}/members/tom`, { role: 'admin' });
      t.equal(json.expires_at, (await orgs.pending(tom))[0]!.expires_at, 'nor is it put off');
      t.equal((await orgs.told('tom')).length, 1);
      const second = await orgs.invite(WEB, 'tom', tom, 'viewer');
      t.not(second, first);
      t.equal((await orgs.pending(tom)).length, 1);
      t.equal((await orgs.accept(tom, first)).status, 404, 'nobody accepts what he was not asked');
      const third = await orgs.invite(ACME, 'tom', tom, 'member');
      t.equal((await orgs.pending(tom)).length, 2, 'the org is another place');
      t.equal((await orgs.decline(tom, second)).status, 204);
      t.equal((await orgs.decline(tom, second)).status, 404);
      t.same(await orgs.told('tom'), [
        ...['create role admin by olga', 'create role viewer, instead of admin by olga', 'create role member by olga'],
        'decline role viewer by tom',
      ]);
      t.match((await orgs.accept(tom, third)).json, { org: 'acme', role: 'member' });
      t.notOk(await orgs.isMember(WEB, 'tom'));
    });

    await t.test('whoever adds members sees and withdraws what waits there, and nobody else', async (t) => {
      const ada = await orgs.made('ada', WEB, 'admin');
      const [max, vera] = [await orgs.made('max', WEB, 'member'), await orgs.made('vera', WEB, 'viewer')];
      const una = await orgs.made('una');
      await orgs.invite(WEB, 'una', una, 'viewer', ada);
      await orgs.invite(ACME, 'una', una);
      for (const [who, token, project, org] of [
        ['owner', owner, 200, 200],
        ['admin', ada, 200, 403],
        ['member', max, 403, 403],
        ['viewer', vera, 403, 403],
        ['the invited', una, 404, 404],
        ['another owner', rival, 404, 404],
      ] as const) {
        t.equal((await call(token, `GET ${WEB}/invitations`)).status, project, who);
        t.equal((await call(token, `GET ${ACME}/invitations`)).status, org, who);
        if (project !== 200) t.equal((await orgs.withdraw(token, WEB, 'una')).status, project, who);
        if (org !== 200) t.equal((await orgs.withdraw(token, ACME, 'una')).status, org, who);
      }
      const { json } = await call(ada, `GET ${WEB}/invitations`);
      t.match(json.invitations, [{ status: 'invited', user: 'una', role: 'viewer', invited_by: 'ada' }]);
      t.equal(json.invitations.length, 1, 'those of the project');
      t.equal((await orgs.withdraw(ada, WEB, 'una')).status, 204);
      t.equal((await orgs.withdraw(ada, WEB, 'una')).status, 404);
      t.match(await orgs.pending(una), [{ org: 'acme', project: undefined }]);
      t.equal((await orgs.withdraw(owner, ACME, 'una')).status, 204);
      t.same(await orgs.pending(una), []);
    });

    await t.test('the invitation of another answers like one that is not', async (t) => {
      const [yan, yve] = [await orgs.made('yan'), await orgs.made('yve')];
      const id = await orgs.invite(WEB, 'yan', yan);
      const absent = id.replace(/.{12}$/, 'ZZZZZZZZZZZZ');
      const plain = ({ status, json }: { status: number; json: object }) => ({ status, ...json, request_id: '' });
      for (const caller of [yve, owner, rival])
        for (const answer of ['accept', 'decline'] as const) {
          const [one, other] = [await orgs[answer](caller, id), await orgs[answer](caller, absent)];
          t.equal(one.status, 404);
          t.same(plain(one), plain(other));
        }
      for (const hostile of ['é', '%00', "' OR '1'='1", '..%2f..', `${id} `, id.toLowerCase(), '%'.repeat(9), '\u202e'])
        t.ok([400, 404].includes((await orgs.accept(yan, encodeURIComponent(hostile))).status), hostile);
      for (const hostile of ['é', "x' OR 1=1 --", 'yan ', 'YAN', '__proto__', 'x'.repeat(64)])
        t.equal((await orgs.withdraw(owner, WEB, encodeURIComponent(hostile))).status, 404, hostile);
      t.equal((await orgs.pending(yan))[0]!.id, id);
      t.equal((await orgs.accept(yan, id)).status, 200);
    });

    await t.test('a token that is less than its user answers nothing, and sees nothing', async (t) => {
      const ben = await orgs.made('ben', `${RIVAL}/projects/web`, 'admin');
      const mint = async (by: string, more: object) =>
        (await call(by, 'POST /api/v1/tokens', { name: 'm', ...more })).json.token as string;
      const id = await orgs.invite(WEB, 'ben', ben);
      const agent = await mint(rival, { kind: 'agent', org: 'rival' });
      const narrow = [await mint(ben, { project: 'web' }), await mint(ben, { role: 'admin' }), agent];
      const ofMine = await orgs.invite(WEB, 'rita', rival);
      const ritas = [await mint(rival, { org: 'rival' }), await mint(rival, { role: 'admin' })];
      for (const [tokens, one] of [
        [narrow, id],
        [ritas, ofMine],
      ] as const)
        for (const token of tokens) {
          t.equal((await call(token, 'GET /api/v1/invitations')).json.code, 'forbidden');
          t.equal((await orgs.accept(token, one)).json.code, 'forbidden');
          t.equal((await orgs.decline(token, one)).json.code, 'forbidden');
        }
      t.equal((await orgs.decline(rival, ofMine)).status, 204, 'without limits');
      t.equal((await orgs.accept(ben, id)).status, 200, 'limited to the org that made him, where he has no other');
      await call(owner, `PUT ${ACME}/projects/shop`);
      await call(rival, 'PUT /api/v1/orgs/third');
      await call(rival, 'PUT /api/v1/orgs/third/members/ben', { role: 'member' });
      const ofAcme = await orgs.tokenOf('ben', ACME);
      t.equal((await call(ofAcme, 'GET /api/v1/invitations')).json.code, 'forbidden', 'an owner of acme has it too');
      t.equal((await orgs.pending(ben)).length, 1);
      t.equal((await call(rival, `DELETE ${RIVAL}/members/ben`)).status, 204);
      const [asked] = await orgs.pending(ofAcme);
      t.equal(asked?.org, 'third', 'his first org is gone, so that acme is the first');
      t.equal((await orgs.decline(ofAcme, asked!.id)).status, 204);
      t.equal((await call(rival, `PUT ${RIVAL}/members/ben`, { role: 'member' })).status, 202);
      await orgs.withdraw(rival, RIVAL, 'ben');
    });

    await t.test('it ends with the right of the one who asks', async (t) => {
      const [uma, ugo] = [await orgs.made('uma'), await orgs.made('ugo')];
      const eva = await orgs.made('eva', WEB, 'admin');
      await orgs.invite(WEB, 'uma', uma, 'admin', eva);
      await call(owner, `PUT ${ACME}/members/eva`, { role: 'owner' });
      await call(owner, `PUT ${WEB}/members/eva`, { role: 'viewer' });
      t.equal((await orgs.pending(uma)).length, 1, 'as long as she may');
      await call(owner, `PUT ${ACME}/members/eva`, { role: 'member' });
      t.same(await orgs.pending(uma), [], 'and no longer');
      await call(owner, `PUT ${WEB}/members/eva`, { role: 'admin' });
      await orgs.invite(WEB, 'uma', uma, 'admin', eva);
      await call(owner, `PUT ${WEB}/members/eva`, { role: 'member' });
      t.same(await orgs.pending(uma), [], 'a lower role');
      await call(owner, `PUT ${ACME}/members/eva`, { role: 'owner' });
      await orgs.invite(ACME, 'uma', uma, 'owner', eva);
      const stays = await orgs.invite(WEB, 'ugo', ugo, 'viewer');
      await call(eva, `DELETE ${ACME}/members/eva`);
      t.same(await orgs.pending(uma), [], 'and leaving');
      t.equal((await orgs.pending(ugo))[0]?.id, stays, 'what others asked goes on');
      const told = await orgs.told('uma');
      t.same(
        told.filter((one) => one.startsWith('withdraw')),
        ['withdraw role admin by olga', 'withdraw role admin by olga', 'withdraw role owner by eva'],
      );

      const pat = await orgs.made('pat', WEB, 'admin');
      const late = await orgs.invite(WEB, 'uma', uma, 'admin', pat);
      // As by a server that had not heard yet that she is no admin any more.
      await orgs.database.write(
        "UPDATE access_members SET role = 'viewer' WHERE user_id = (SELECT user_id FROM access_users WHERE name = 'pat')",
      );
      t.equal((await orgs.accept(uma, late)).status, 404);
      t.notOk(await orgs.isMember(WEB, 'uma'));
      t.same(await orgs.pending(uma), []);
      t.equal((await orgs.told('uma')).at(-1), 'withdraw role admin by the service');
    });

    await t.test('who leaves or is given a role takes along what waited', async (t) => {
      const kim = await orgs.made('kim');
      const viewer = await orgs.invite(WEB, 'kim', kim, 'viewer');
      await call(owner, `PUT ${ACME}/projects/depot`);
      await orgs.invite(`${ACME}/projects/depot`, 'kim', kim, 'viewer');
      await orgs.invite(ACME, 'kim', kim, 'owner');
      t.equal((await orgs.accept(kim, viewer)).status, 200);
      t.equal((await orgs.pending(kim)).length, 2, 'those to the org and to another project wait');
      t.equal((await call(owner, `DELETE ${ACME}/members/kim`)).status, 204);
      t.same(await orgs.pending(kim), [], 'nobody comes back by an old invitation');
      await orgs.invite(ACME, 'kim', kim, 'owner');
      const again = await orgs.invite(WEB, 'kim', kim, 'viewer');
      await orgs.accept(kim, again);
      await call(owner, `PUT ${ACME}/members/kim`, { role: 'member' });
      t.same(await orgs.pending(kim), [], 'nor to what was decided otherwise');
      const lou = await orgs.made('lou');
      await orgs.invite(ACME, 'lou', lou, 'owner');
      const [user] = await orgs.database.read<{ user_id: string; name: string }>(
        "SELECT user_id, name FROM access_users WHERE name = 'lou'",
      );
      const { org_id } = (await orgs.server.use(Scopes).findOrg('acme'))!;
      await orgs.server.use(Members).set(user!, { org_id, project_id: null, role: 'member' }, OPERATOR);
      t.ok(await orgs.isMember(ACME, 'lou'), 'the claims of an issuer ask nobody');
      t.same(await orgs.pending(lou), []);
    });

    await t.test('it ends by itself', async (t) => {
      const ida = await orgs.made('ida');
      const id = await orgs.invite(WEB, 'ida', ida);
      const expire = () => orgs.database.write('UPDATE access_invitations SET expires_at = ?', [orgs.database.now()]);
      await expire();
      t.same(await orgs.pending(ida), []);
      t.notMatch((await call(owner, `GET ${WEB}/invitations`)).text, /ida/);
      t.equal((await orgs.accept(ida, id)).status, 404);
      t.equal((await orgs.told('ida')).at(-1), 'expire role member by the service');
      t.notOk(await orgs.isMember(ACME, 'ida'));
      await orgs.invite(WEB, 'ida', ida);
      await expire();
      t.equal((await orgs.withdraw(owner, WEB, 'ida')).status, 404);
      await orgs.invite(WEB, 'ida', ida);
      await expire();
      const next = await orgs.invite(WEB, 'ida', ida);
      t.equal((await orgs.told('ida')).filter((one) => one.startsWith('expire')).length, 3, 'each time once');
      t.equal((await orgs.decline(ida, next)).status, 204);
    });

    await t.test('an org asks so many at once, and what has expired does not count', async (t) => {
      const [{ org_id }] = (await orgs.database.read<{ org_id: string }>(
        "SELECT org_id FROM access_orgs WHERE name = 'acme'",
      )) as [{ org_id: string }];
      const now = orgs.database.now();
      const columns = 'invitation_id, org_id, project_id, user_id, role, invited_by, created_at, expires_at';
      const rows = Array.from(
        { length: MAX_PENDING },
        (_, n) => `('inv_${n}', '${org_id}', '', 'usr_${n}', 'member', 'x', 1, ${now + 60_000})`,
      );
      await orgs.database.write('DELETE FROM access_invitations');
      await orgs.database.write(`INSERT INTO access_invitations (${columns}) VALUES ${rows.join(', ')}`);
      const lea = await orgs.made('lea');
      t.match(await call(owner, `PUT ${WEB}/members/lea`, { role: 'viewer' }), {
        status: 409,
        json: { code: 'too_many_invitations' },
      });
      t.equal((await call(owner, `PUT ${WEB}/members/fresh-one`, { role: 'viewer' })).status, 201);
      await orgs.database.write('UPDATE access_invitations SET expires_at = 1');
      await orgs.invite(WEB, 'lea', lea);
      t.ok((await orgs.left()) < MAX_PENDING, 'and is cleared away bit by bit');
    });

    await t.test('users of before: who was made by being added has a home', async (t) => {
      // Earlier versions wrote one time into both rows of whom they added; of others the user is older.
      await orgs.database.write("UPDATE access_users SET home_org_id = '', created_at = 1000");
      await orgs.database.write('UPDATE access_members SET created_at = 1000');
      await orgs.database.write("UPDATE access_users SET created_at = 999 WHERE name = 'max'");
      await orgs.database.write(migration[store][1]!);
      const homes = await orgs.database.read<{ user: string; org: string | null }>(
        `SELECT u.name AS user, o.name AS org FROM access_users u LEFT JOIN access_orgs o ON o.org_id = u.home_org_id
         WHERE u.name IN ('lea', 'max', 'olga', 'vera') ORDER BY u.name`,
      );
      t.same(homes, [
        { user: 'lea', org: 'rival' },
        { user: 'max', org: null },
        { user: 'olga', org: null },
        { user: 'vera', org: 'acme' },
      ]);
    });
  });
