import t from 'tap';
import { addedBy, healthOf, isConnector, type PluginView } from './points.ts';

const plugin = (more: Partial<PluginView>): PluginView => ({
  ...{ id: 'one', version: '1.0.0', builtin: true, summary: 'Is one.', requires: [], adds: [], health: [] },
  ...more,
});

t.test('what a plugin adds is said in words', async (t) => {
  const adds = [
    { point: 'kernel.HttpRoutes', names: ['GET /a', 'GET /b'] },
    { point: 'console.ConsolePages', names: ['one'] },
    { point: 'runs.RunObservers', names: ['one'] },
    { point: 'scripts.Verbs', names: [] },
  ];
  t.same(addedBy(plugin({ adds })), [
    { text: '2 routes', names: ['GET /a', 'GET /b'] },
    { text: '1 page', names: ['one'] },
    { text: '2 contributions to other plugins', names: ['runs.RunObservers', 'scripts.Verbs'] },
  ]);
  t.same(addedBy(plugin({})), []);
});

t.test('one failing check makes a plugin fail, and no check says nothing', async (t) => {
  t.equal(healthOf(plugin({})), undefined);
  t.equal(healthOf(plugin({ health: [{ name: 'a', ok: true }] })), 'ok');
  const health = [
    { name: 'a', ok: true },
    { name: 'b', ok: false },
  ];
  t.equal(healthOf(plugin({ health })), 'failing');
  t.ok(isConnector(plugin({ id: 'connector:team_chat' })));
  t.notOk(isConnector(plugin({ id: 'connectors' })));
});
