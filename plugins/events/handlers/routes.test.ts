import t from 'tap';
import { boot, contestedPuts, STORES } from '../../../test/kit/index.ts';

for (const store of STORES)
  t.test(
    `${store}: who sets a handler is told so, though somebody removes it just then; and that a name is none`,
    async (t) => {
      const server = await boot({ store, plugins: ['handlers'] });
      t.teardown(() => server.close());
      t.same(await contestedPuts(server, `${server.scoped}/handlers/contested`, { on: ['t'], source: 'true' }), []);
      const refused = await server.call('member', `PUT ${server.scoped}/handlers/no%20name`, {
        on: ['t'],
        source: 'true',
      });
      t.match(refused, { status: 400, json: { code: 'invalid_request', errors: [{ pointer: '/path/handler' }] } });
    },
  );
