import { join } from 'node:path';
import t from 'tap';
import { boot, STORES, StandInAgent, variablesOf } from '../../../../test/kit/index.ts';
import { type Json, JobEnvironments, RunEngine } from '../../../engine/runs/contract.ts';

const KIND = join(import.meta.dirname, '../../../../test/plugins/flow-kind');
const PLUGINS = ['http', 'access', 'audit', 'credentials', 'secrets', 'scripts', 'flows', KIND];

for (const store of STORES)
  t.test(store, async (t) => {
    const server = await boot({ store, access: 'project', plugins: PLUGINS, idle: true });
    t.teardown(() => server.close());
    for (const [path, body] of Object.entries({
      'credentials/bot': { kind: 'bearer', token: 'token of bot' },
      'credentials/pair': { kind: 'basic', username: 'ann', password: 'pass of ann' },
      'secrets/SHARED': { value: 'from the secret' },
    }))
      t.equal((await server.call('admin', `PUT ${server.scoped}/${path}`, body)).status, 201);
    const agent = new StandInAgent(server.use);

    /** What the job of an activity with this spec gets. */
    async function environmentOf(spec: { [name: string]: Json }, { trusted = true, env = {} } = {}) {
      const node = { id: 'a', type: 'activity', config: { executor: 'script', spec } };
      const source = JSON.stringify({ version: 'svc-test-flow/v1', nodes: [node] });
      const run = { ...server.scope, source, env, trigger: { type: 'manual' }, trusted, generation: 0 };
      await server.use(RunEngine).submit(run);
      const claim = await agent.claimOne();
      try {
        return await server.use(JobEnvironments).environment(claim);
      } finally {
        await agent.end(claim);
      }
    }

    t.test('the variables of an activity win over those of its run and of the project', async (t) => {
      const environment = await environmentOf(
        { env: { SHARED: 'from the activity', OWN: 'own' }, credentials: { TOKEN: 'bot', OWN: 'pair' } },
        { env: { OWN: 'from the run', TOKEN: 'from the run', RUN: 'run' } },
      );
      t.same(variablesOf(environment), {
        SHARED: 'from the activity',
        RUN: 'run',
        OWN: 'ann:pass of ann',
        TOKEN: 'token of bot',
      });
      t.same([...environment.masks!].sort(), ['ann:pass of ann', 'from the secret', 'pass of ann', 'token of bot']);
    });

    t.test('one that cannot be used fails the activity', async (t) => {
      await t.rejects(environmentOf({ credentials: { TOKEN: 'nobody' } }), {
        code: 'credential_missing',
        message: /TOKEN.*nobody/,
      });
      await t.rejects(environmentOf({ credentials: { TOKEN: 'bot' } }, { trusted: false }), {
        code: 'untrusted_run_declares_credential',
      });
      t.same(variablesOf(await environmentOf({ env: { A: '1' } }, { trusted: false })), { A: '1' });
    });

    t.test('names and values are checked, whoever made the spec', async (t) => {
      const specs: [{ [name: string]: Json }, string][] = [
        [{ env: { SVC_TOKEN: 'x' } }, '/env/SVC_TOKEN'],
        [{ env: { 'a b': 'x' } }, '/env/a b'],
        [{ env: { A: 1 } }, '/env'],
        [{ env: ['A'] }, '/env'],
        [{ credentials: { PATH: 'bot' } }, '/credentials/PATH'],
        [{ credentials: { A: '../bot' } }, '/credentials/A'],
        [{ credentials: 'bot' }, '/credentials'],
      ];
      for (const [spec, pointer] of specs)
        await t.rejects(environmentOf(spec), { code: 'invalid_request', extras: { errors: [{ pointer }] } });
      t.same(variablesOf(await environmentOf({ env: null, credentials: null })), { SHARED: 'from the secret' });
    });
  });
