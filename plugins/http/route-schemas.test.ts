import t from 'tap';
import { HttpRoutes, LoadedPlugins, type Route } from '../../kernel/contracts/index.ts';
import { boot, testPlugin } from '../../test/kit/index.ts';
import { Endpoint, type Serving } from './endpoint.ts';

t.setTimeout(120_000);

t.test('the schemas of every route of svc compile, which its start leaves to their first requests', async (t) => {
  const server = await boot();
  t.teardown(() => server.close());
  const routes = server.use.all(HttpRoutes);
  t.ok(routes.length > 100);
  const ours = server.use(LoadedPlugins).list.every(({ builtin }) => builtin);
  t.ok(ours);
  for (const route of routes)
    t.doesNotThrow(() => new Endpoint(route, {} as Serving).prepare(), `${route.method} ${route.path}`);
});

t.test('a plugin that is not of svc does not start with a schema that does not compile', async (t) => {
  const faulty: Route = {
    method: 'POST',
    path: '/api/v1/odd',
    operation: 'odd',
    summary: 'Belongs to a test.',
    access: { kind: 'public' },
    body: { type: 'objct' },
    responses: {},
    handle: async () => ({ status: 204 }),
  };
  const plugin = testPlugin('odd', ({ contribute }) => contribute(HttpRoutes, () => faulty));
  await t.rejects(boot({ plugins: [plugin] }), { message: /plugin http failed.*POST \/api\/v1\/odd: / });
});
