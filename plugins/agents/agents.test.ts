import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Bootstrap } from '../access/contract.ts';
import { engines } from '../access/house.testsuite.ts';
import { until } from './testing/doubles.ts';
import { exitOf, House, untilAsync } from './testing/house.testsuite.ts';

/** A step, then a wait that ends only when the test says so, then another step. */
const waiting = (marker: string) => `
  svc step one -- echo 1
  touch ${marker}.$PPID.reached
  until [ -e ${marker}.go ]; do sleep 0.05; done
  svc step two -- echo 2
`;

// Two engines, and several processes each.
t.setTimeout(300_000);
for (const engine of await engines())
  t.test(`agents on ${engine.name}`, async (t) => {
    const { url, drop } = await engine.fresh();
    const folder = await mkdtemp(join(tmpdir(), 'agents-'));
    const house = new House(folder, url);
    await house.settle();
    t.teardown(async () => {
      await house.stop();
      await drop();
      await rm(folder, { recursive: true });
      await engine.stop();
    });
    const reached = async (marker: string) =>
      (await readdir(house.work)).filter((name) => name.startsWith(`${marker}.`) && name.endsWith('.reached')).length;

    t.test('an agent is listed for its org, and for nobody else', async (t) => {
      const one = house.spawnAgent('one', { SVC_AGENT_CAPS: 'gpu' });
      await house.online('one');
      const [listed] = await house.agents();
      t.match(listed, { name: 'one', org: 'acme', slots: 4, os: 'linux', server: /:\d+$/ });
      for (const capability of ['gpu', 'linux', 'http', 'bash']) t.ok(listed!.capabilities.includes(capability));
      const rival = (await house.kernel.use(Bootstrap).ensure({ user: 'rita', org: 'rival', project: 'p' })).token;
      t.same((await house.call('GET', '/api/v1/agents', undefined, rival)).json, { agents: [] });
      t.equal((await house.call('GET', '/api/v1/agents?cursor=x')).json.code, 'invalid_request');
      t.equal((await house.call('GET', '/api/v1/agents', undefined, house.agent)).status, 403);
      one.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      t.match(await house.agents(), [{ name: 'one', state: 'offline' }]);
      t.same(await house.folders(), [], 'its folder is gone');
    });

    t.test('a drained agent gives its work back at once; another goes on from the journal', async (t) => {
      const one = house.spawnAgent('drains');
      await house.online('drains');
      const run_id = await house.submit(waiting('drain'));
      await untilAsync(async () => (await reached('drain')) === 1);
      const before = performance.now();
      one.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      t.match(await house.claims(run_id), [{ state: 'pending', epoch: 1 }]);
      t.ok(performance.now() - before < 5000);
      const two = house.spawnAgent('goes-on');
      await untilAsync(async () => (await reached('drain')) === 2);
      await writeFile(join(house.work, 'drain.go'), '');
      await house.finished(run_id);
      t.equal((await house.run(run_id)).status, 'succeeded');
      t.same(await house.steps(run_id), ['one', 'two']);
      two.kill('SIGTERM');
      await exitOf(two);
    });

    t.test('a killed agent: its claim expires, its scripts die with it, another goes on', async (t) => {
      const one = house.spawnAgent('killed');
      await house.online('killed');
      const run_id = await house.submit(waiting('kill'));
      await untilAsync(async () => (await reached('kill')) === 1);
      one.kill('SIGKILL');
      await exitOf(one);
      const [left] = await house.folders();
      t.ok(left, 'it left its folder behind');
      const two = house.spawnAgent('heir');
      await untilAsync(async () => (await reached('kill')) === 2);
      await writeFile(join(house.work, 'kill.go'), '');
      await house.finished(run_id);
      t.equal((await house.run(run_id)).status, 'succeeded');
      t.match(await house.claims(run_id), [{ state: 'done', epoch: 2 }]);
      t.notOk(existsSync(join(house.work, 'tmp', left!)), 'the next agent of that machine swept it');
      two.kill('SIGTERM');
      await exitOf(two);
    });

    t.test('an agent suspended past its lease: what it does afterwards is refused', async (t) => {
      const one = house.spawnAgent('suspended');
      await house.online('suspended');
      const run_id = await house.submit(waiting('stop'));
      await untilAsync(async () => (await reached('stop')) === 1);
      one.kill('SIGSTOP');
      const two = house.spawnAgent('meanwhile');
      await untilAsync(async () => (await reached('stop')) === 2);
      await writeFile(join(house.work, 'stop.go'), '');
      await house.finished(run_id);
      one.kill('SIGCONT');
      await untilAsync(async () => /claim was lost/.test(one.said));
      await house.online('suspended');
      t.equal((await house.run(run_id)).status, 'succeeded');
      t.same(await house.steps(run_id), ['one', 'two']);
      t.match(await house.claims(run_id), [{ state: 'done', epoch: 2 }]);
      for (const child of [one, two]) child.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      await exitOf(two);
    });

    t.test('the server restarts under a running script, which goes on under its claim', async (t) => {
      const one = house.spawnAgent('stays');
      await house.online('stays');
      const run_id = await house.submit(waiting('restart'));
      await untilAsync(async () => (await reached('restart')) === 1);
      await house.stopServer();
      await writeFile(join(house.work, 'restart.go'), '');
      await house.start();
      await house.finished(run_id);
      t.equal((await house.run(run_id)).status, 'succeeded');
      t.match(await house.claims(run_id), [{ state: 'done', epoch: 1 }]);
      t.equal(await reached('restart'), 1);
      one.kill('SIGTERM');
      await exitOf(one);
    });

    t.test('a wrong token ends the agent with the reason; a revoked one ends a running agent', async (t) => {
      const wrong = house.spawnAgent('wrong', { SVC_TOKEN: `svc_agt_${'x'.repeat(43)}` });
      t.not(await exitOf(wrong), 0);
      await until(() => wrong.said.includes('SVC_TOKEN'));
      t.notMatch(wrong.said, /xxxxxxxx/);
      const made = await house.call('POST', '/api/v1/tokens', { name: 'brief', org: 'acme', kind: 'agent' });
      const brief = house.spawnAgent('brief', { SVC_TOKEN: made.json.token });
      await house.online('brief');
      t.equal((await house.call('DELETE', `/api/v1/tokens/${made.json.id}`)).status, 204);
      t.not(await exitOf(brief), 0);
      t.match(brief.said, /refuses this agent/);
    });
  });
