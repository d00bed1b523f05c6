import t from 'tap';
import { STORES } from '../../../test/kit/index.ts';
import { ACME, TwoOrgs, WEB } from './testing/two-orgs.ts';

const ROUNDS = 8;

// @store: who wins is decided by rows.
for (const store of STORES)
  t.test(`answers to invitations that meet, on ${store}`, async (t) => {
    const orgs = await TwoOrgs.open(t, store);
    const { call, owner } = orgs;
    const ends = async (user: string) => (await orgs.told(user)).filter((one) => !one.startsWith('create'));

    await t.test('of an acceptance, a refusal and a withdrawal, one wins and is what holds', async (t) => {
      const winners = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = `meets-${round}`;
        const token = await orgs.made(user);
        const id = await orgs.invite(WEB, user, token);
        const answers = {
          accept: () => orgs.accept(token, id),
          decline: () => orgs.decline(token, id),
          withdraw: () => orgs.withdraw(owner, WEB, user),
        };
        // Each of them is sent first at times.
        const order = Object.entries(answers);
        order.push(...order.splice(0, round % 3));
        const done = await Promise.all(order.map(async ([name, send]) => ({ name, ...(await send()) })));
        const [won, ...others] = done.filter(({ status }) => status < 300);
        t.ok(won && others.length === 0, JSON.stringify(done.map(({ name, status }) => [name, status])));
        t.ok(done.every(({ name, status }) => name === won?.name || status === 404));
        t.equal(await orgs.isMember(WEB, user), won?.name === 'accept');
        t.match(await ends(user), [new RegExp(`^${won?.name} `)], 'the audit has one end');
        winners.add(won?.name ?? '');
      }
      t.comment(`won: ${[...winners].join(', ')}`);
      t.equal(await orgs.left(), 0);
    });

    await t.test('of two acceptances one is taken', async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = `twice-${round}`;
        const token = await orgs.made(user);
        const id = await orgs.invite(WEB, user, token);
        const both = await Promise.all([orgs.accept(token, id), orgs.accept(token, id)]);
        t.same(both.map(({ status }) => status).sort(), [200, 404]);
        t.equal((await ends(user)).length, 1);
      }
    });

    await t.test('asked with two roles at once, one is asked, and only it can be accepted', async (t) => {
      const ada = await orgs.made('ada', WEB, 'admin');
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = `roles-${round}`;
        const token = await orgs.made(user);
        const ask = (by: string, role: string) => call(by, `PUT ${WEB}/members/${user}`, { role });
        const both = await Promise.all([ask(owner, 'viewer'), ask(ada, 'admin'), ask(owner, 'viewer')]);
        t.same(
          both.map(({ status }) => status),
          [202, 202, 202],
        );
        const [pending, ...more] = await orgs.pending(token);
        t.same(more, []);
        t.equal((await orgs.accept(token, pending!.id)).json.role, pending!.role);
      }
    });

    await t.test('accepted while another role takes its place: what was seen, or nothing', async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const user = `swap-${round}`;
        const token = await orgs.made(user);
        const id = await orgs.invite(WEB, user, token, 'viewer');
        const [accepted, put] = await Promise.all([
          orgs.accept(token, id),
          call(owner, `PUT ${WEB}/members/${user}`, { role: 'admin' }),
        ]);
        // After the acceptance the user is a member, whose role is set; before it, the acceptance finds nothing.
        t.same([accepted.status, put.status], accepted.status === 200 ? [200, 200] : [404, 202]);
        t.equal(await orgs.isMember(WEB, user), accepted.status === 200);
        t.equal((await orgs.pending(token)).length, accepted.status === 200 ? 0 : 1);
      }
    });

    await t.test('accepted while the one who asks is removed: before it, or not at all', async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [user, asker] = [`late-${round}`, `asker-${round}`];
        const [token, by] = [await orgs.made(user), await orgs.made(asker, WEB, 'admin')];
        const id = await orgs.invite(WEB, user, token, 'admin', by);
        const [accepted, removed] = await Promise.all([
          orgs.accept(token, id),
          call(owner, `DELETE ${ACME}/members/${asker}`),
        ]);
        t.equal(removed.status, 204);
        t.equal(await orgs.isMember(WEB, user), accepted.status === 200);
        t.match(await ends(user), [accepted.status === 200 ? /^accept / : /^withdraw /]);
      }
    });

    await t.test('a new name that two orgs add at once is of one of them, and asked by the other', async (t) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const add = (by: string, org: string) => call(by, `PUT ${org}/members/both-${round}`, { role: 'member' });
        const both = await Promise.all([add(owner, ACME), add(orgs.rival, '/api/v1/orgs/rival')]);
        t.same(both.map(({ status }) => status).sort(), [201, 202]);
      }
    });
  });
