import t from 'tap';
import { STORES, withEngine } from '../../../test/kit/index.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const store of STORES) {
  t.test(`${store}: state of the project over HTTP`, (t) =>
    withEngine({ store }, async (server) => {
      const call = (method: string, path: string, body?: unknown, { role = 'member' } = {}) =>
        server.call(role, `${method} ${server.scoped}${path}`, body);
      const path = '/state/repo%2Fapp/last%20sha';
      t.equal((await call('GET', path)).status, 404);
      t.equal((await call('PUT', path, { value: '{"a":1}' })).status, 201);
      t.same(await call('PUT', path, { value: 'x' }).then(({ status, json }) => [status, json]), [
        200,
        { entity: 'repo/app', key: 'last sha' },
      ]);
      t.match((await call('GET', path, undefined, { role: 'viewer' })).json, {
        entity: 'repo/app',
        value: 'x',
        updated_at: ISO,
      });
      t.match((await call('GET', '/state/repo%2Fapp')).json, { cells: [{ entity: 'repo/app', key: 'last sha' }] });
      t.equal((await call('PUT', path, { value: 'x' }, { role: 'viewer' })).status, 403);
      t.equal((await call('PUT', path, { value: 1 })).status, 400);
      t.equal((await call('PUT', path, { value: 'é'.repeat(131_073) })).status, 413);
      t.equal((await call('PUT', '/state/e/a%0Ab', { value: 'x' })).status, 400);
      t.equal((await call('DELETE', path)).status, 204);
      t.equal((await call('DELETE', path)).status, 404);
    }),
  );
}
