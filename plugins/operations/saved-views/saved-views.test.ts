import t from 'tap';
import { boot, STORES } from '../../../test/kit/index.ts';
import { MAX_VIEWS } from './domain/rules.ts';

// @store: the statements of views.
for (const store of STORES)
  t.test(`${store}: a project and each member can keep ${MAX_VIEWS} views`, async (t) => {
    const server = await boot({ store, access: 'project' });
    t.teardown(() => server.close());
    const put = (by: string, name: string, is_private = false) =>
      server.call(by, `PUT ${server.scoped}/views/${name}`, { filter: { tag: name }, private: is_private });
    for (let n = 0; n < MAX_VIEWS; n++) t.equal((await put('member', `v${n}`)).status, 201);
    t.match(await put('member', 'more'), { status: 409, json: { code: 'views_full' } });
    t.equal((await put('member', 'v7')).status, 200, 'a view is replaced');
    for (let n = 0; n < MAX_VIEWS; n++) t.equal((await put('member', `v${n}`, true)).status, 201);
    t.match(await put('member', 'v-more', true), { status: 409, json: { code: 'views_full' } });
    t.equal((await put('admin', 'own', true)).status, 201, 'another member has room of their own');

    const listed = async (by: string) => (await server.call(by, `GET ${server.scoped}/views?limit=200`)).json;
    t.equal((await listed('member')).views.length, 2 * MAX_VIEWS);
    t.notOk('next_cursor' in (await listed('member')), 'all that one member sees fits on a page');
    t.equal((await listed('viewer')).views.length, MAX_VIEWS);

    t.equal((await server.call('admin', `DELETE ${server.scoped}/views/v1`)).status, 204, 'of another member');
    t.equal((await put('member', 'more')).status, 201);
    t.match((await server.call('member', `GET ${server.scoped}/views/v1`)).json, { private: true });
  });

t.test('a view with terms needs an index', async (t) => {
  const server = await boot({ access: 'project', env: { SVC_RUN_SEARCH: 'off' } });
  t.teardown(() => server.close());
  const put = (filter: object) => server.call('member', `PUT ${server.scoped}/views/a`, { filter });
  t.match(await put({ step: 'deploy' }), { status: 409, json: { code: 'run_search_off' } });
  t.equal((await put({ tag: 'deploy' })).status, 201);
});

t.test('two requests that make the same view make one', async (t) => {
  const server = await boot({ access: 'project' });
  t.teardown(() => server.close());
  const put = (by: string) => server.call(by, `PUT ${server.scoped}/views/a`, { filter: { tag: by } });
  const statuses = await Promise.all(['member', 'admin', 'owner'].map(async (by) => (await put(by)).status));
  t.same(statuses.toSorted(), [200, 200, 201]);
});

t.test(
  'a secret store that refuses a value, or is gone, stops no view, and other values are still found',
  async (t) => {
    const server = await boot({ access: 'project' });
    t.teardown(() => server.close());
    const call = (by: string, line: string, body?: unknown) =>
      server.call(by, line.replace('{scoped}', server.scoped), body);
    const store = { kind: 'vault', url: 'http://127.0.0.1:1', login: { token: 'hush-hush-token' } };
    t.equal((await call('admin', 'PUT {scoped}/secret-stores/main', store)).status, 201);
    const from = { store: 'main', path: 'app/db', field: 'password' };
    t.equal((await call('admin', 'PUT {scoped}/secrets/ELSEWHERE', { from })).status, 201);
    t.equal((await call('admin', 'PUT {scoped}/secrets/HERE', { value: 'hush-hush-here' })).status, 201);
    const put = (tag: string) => call('member', 'PUT {scoped}/views/a', { filter: { tag } });
    t.equal((await put('deploy')).status, 201);
    t.match(await put('hush-hush-here'), { status: 422, json: { code: 'view_contains_secret' } });
    t.equal((await call('admin', 'DELETE {scoped}/secret-stores/main')).status, 204);
    t.equal((await put('deploy')).status, 200);
  },
);
