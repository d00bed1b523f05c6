import t from 'tap';
import { boot } from '../../../test/kit/index.ts';

const SECRETS = {
  SVC_WAKE_TOKEN: 'never-to-be-seen-1',
  SVC_OF_SOME_PLUGIN: 'never-to-be-seen-2',
};

t.test('a server tells what it is, and nothing that is secret', async (t) => {
  const server = await boot({
    access: 'project',
    env: { ...SECRETS, SVC_OWN_PROCESS: 'off', SVC_RETENTION: 'runs=90d', SVC_EGRESS_ALLOW: 'hub.example.org' },
  });
  t.teardown(() => server.close());
  const { org } = server.scope;

  await t.test('its plugins', async (t) => {
    const { status, json } = await server.call('viewer', 'GET /api/v1/plugins');
    t.equal(status, 200);
    const ids = json.plugins.map(({ id }: { id: string }) => id);
    t.ok(ids.indexOf('access') < ids.indexOf('agents'), 'in boot order');
    const one = (id: string) => json.plugins.find((plugin: { id: string }) => plugin.id === id);
    t.match(one('agents'), {
      version: '0.1.0',
      builtin: true,
      adds: [
        { point: 'kernel.HttpRoutes', names: ['GET /api/v1/agents/connect', 'GET /api/v1/agents'] },
        { point: 'kernel.HealthChecks' },
      ],
    });
    t.ok(one('agents').health.length > 0);
    t.ok(one('agents').health.every(({ ok }: { ok: boolean }) => ok));
    t.match(one('connector:team_chat'), { adds: [{ point: 'manifests.Connectors', names: ['team_chat'] }] });
  });

  await t.test('itself', async (t) => {
    const { status, json } = await server.call('viewer', 'GET /api/v1/server');
    t.equal(status, 200);
    t.match(json, { store: 'sqlite', wake_ups: 'polling', retention: 'runs=90d', node: process.version });
    t.notOk('rate_limit' in json && json.rate_limit === '');
  });

  await t.test('its settings, to owners only', async (t) => {
    const path = `GET /api/v1/orgs/${org}/server/settings`;
    const { status, json } = await server.call('owner', path);
    t.equal(status, 200);
    t.equal(json.egress, 'hub.example.org');
    const known = new Map(json.settings.map(({ name, value }: { name: string; value?: string }) => [name, value]));
    t.notOk(known.has('SVC_OWN_PROCESS'), 'nobody sets it');
    t.equal(known.get('SVC_RETENTION'), 'runs=90d');
    for (const name of Object.keys(SECRETS)) {
      t.ok(known.has(name), name);
      t.equal(known.get(name), undefined, name);
    }
    t.notMatch(JSON.stringify(json), /never-to-be-seen/);
    for (const role of ['admin', 'member', 'viewer']) t.equal((await server.call(role, path)).status, 403, role);
  });
});
