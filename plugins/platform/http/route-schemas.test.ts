import t from 'tap';
import { HttpRoutes, LoadedPlugins, type Route } from '../../../kernel/contracts/index.ts';
import { boot, testPlugin } from '../../../test/kit/index.ts';
import { Endpoint, type EndpointOptions } from './endpoint.ts';

t.setTimeout(120_000);

t.test('the schemas of every route of svc compile, which its start leaves to their first requests', async (t) => {
  const server = await boot();
  t.teardown(() => server.close());
  const routes = server.use.all(HttpRoutes);
  t.ok(routes.length > 100);
  const ours = server.use(LoadedPlugins).list.every(({ builtin }) => builtin);
  t.ok(ours);
  for (const route of routes)
    t.doesNotThrow(() => new Endpoint(route, {} as EndpointOptions).prepare(), `${route.method} ${route.path}`);
});

t.test('what answers with a stream takes one of the places of its caller, or has others', async (t) => {
  const server = await boot();
  t.teardown(() => server.close());
  const long = (route: Route) => Object.values(route.responses).some(({ schema, type }) => !schema && type);
  const found = server.use.all(HttpRoutes).filter(long);
  const named = (routes: readonly Route[]) => routes.map(({ operation }) => operation).toSorted();
  t.same(named(found.filter(({ streams }) => streams)), [
    'exportRuns',
    'readActivityArtifact',
    'readArtifact',
    'readCache',
    'readFile',
    'readLogs',
  ]);
  // Four short texts, pages with seats of their own, and the files that agents read one after the other.
  const others = [
    'deliverToEventHook',
    'followProject',
    'readActivityFile',
    'showAnswerLink',
    'takeConsent',
    'useAnswerLink',
  ];
  t.same(named(found.filter(({ streams }) => !streams)), others);
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
