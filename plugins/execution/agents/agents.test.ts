import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { Bootstrap } from '../../security/access/contract.ts';
import { AgentProcesses, exitOf } from './testing/agent-processes.ts';
import { STORES, until } from '../../../test/kit/index.ts';

/** A step, then a wait that ends only when the test says so, then another step. */
const waiting = (marker: string) => `
  svc step one -- echo 1
  touch ${marker}.$PPID.reached
  until [ -e ${marker}.go ]; do sleep 0.05; done
  svc step two -- echo 2
`;

// Two engines, and several processes each.
t.setTimeout(600_000);
for (const store of STORES)
  t.test(`agents on ${store}`, async (t) => {
    const machine = await AgentProcesses.opened(t, { store });
    const reached = async (marker: string) =>
      (await readdir(machine.work)).filter((name) => name.startsWith(`${marker}.`) && name.endsWith('.reached')).length;

    t.test('an agent is listed for its org, and for nobody else', async (t) => {
      const one = machine.spawnAgent('one', { SVC_AGENT_CAPS: 'gpu' });
      await machine.online('one');
      const [listed] = await machine.agents();
      t.match(listed, { name: 'one', org: 'acme', slots: 4, os: 'linux', server: /:\d+$/ });
      for (const capability of ['gpu', 'linux', 'http', 'bash']) t.ok(listed!.capabilities.includes(capability));
      const rival = (await machine.server.use(Bootstrap).ensure({ user: 'rita', org: 'rival', project: 'p' })).token;
      t.same((await machine.call('GET', '/api/v1/agents', undefined, rival)).json, { agents: [] });
      t.equal((await machine.call('GET', '/api/v1/agents?cursor=x')).json.code, 'invalid_request');
      t.equal((await machine.call('GET', '/api/v1/agents', undefined, machine.agent)).status, 403);
      one.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      t.match(await machine.agents(), [{ name: 'one', state: 'offline' }]);
      t.same(await machine.folders(), [], 'its folder is gone');
    });

    t.test('a drained agent gives its work back at once; another goes on from the journal', async (t) => {
      const one = machine.spawnAgent('drains');
      await machine.online('drains');
      const run_id = await machine.submit(waiting('drain'));
      await until(async () => (await reached('drain')) === 1);
      one.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      t.match(await machine.claims(run_id), [{ state: 'pending', epoch: 1 }]);
      const losses = await machine.server
        .use(Database)
        .read<{ losses: number | null }>('SELECT losses FROM runs_activities WHERE run_id = ?', [run_id]);
      t.same(
        losses.map((row) => Number(row.losses ?? 0)),
        [0],
        'given back, and not expired',
      );
      const two = machine.spawnAgent('goes-on');
      await until(async () => (await reached('drain')) === 2);
      await writeFile(join(machine.work, 'drain.go'), '');
      await machine.finished(run_id);
      t.equal((await machine.run(run_id)).status, 'succeeded');
      t.same(await machine.steps(run_id), ['one', 'two']);
      two.kill('SIGTERM');
      await exitOf(two);
    });

    t.test('a killed agent: its claim expires, its scripts die with it, another goes on', async (t) => {
      const one = machine.spawnAgent('killed');
      await machine.online('killed');
      const run_id = await machine.submit(waiting('kill'));
      await until(async () => (await reached('kill')) === 1);
      one.kill('SIGKILL');
      await exitOf(one);
      const [left] = await machine.folders();
      t.ok(left, 'it left its folder behind');
      const two = machine.spawnAgent('heir');
      await until(async () => (await reached('kill')) === 2);
      await writeFile(join(machine.work, 'kill.go'), '');
      await machine.finished(run_id);
      t.equal((await machine.run(run_id)).status, 'succeeded');
      t.match(await machine.claims(run_id), [{ state: 'done', epoch: 2 }]);
      t.notOk(existsSync(join(machine.work, 'tmp', left!)), 'the next agent of that machine swept it');
      two.kill('SIGTERM');
      await exitOf(two);
    });

    t.test('an agent suspended past its lease: what it does afterwards is refused', async (t) => {
      const one = machine.spawnAgent('suspended');
      await machine.online('suspended');
      const run_id = await machine.submit(waiting('stop'));
      await until(async () => (await reached('stop')) === 1);
      one.kill('SIGSTOP');
      const two = machine.spawnAgent('meanwhile');
      await until(async () => (await reached('stop')) === 2);
      await writeFile(join(machine.work, 'stop.go'), '');
      await machine.finished(run_id);
      one.kill('SIGCONT');
      await until(async () => /claim was lost/.test(one.said));
      await machine.online('suspended');
      t.equal((await machine.run(run_id)).status, 'succeeded');
      t.same(await machine.steps(run_id), ['one', 'two']);
      const [{ state, epoch } = { state: '', epoch: 0 }] = await machine.claims(run_id);
      t.equal(state, 'done');
      // On a machine that stands still for as long as a lease, the second agent loses its claim too, and gets another.
      t.ok(epoch >= 2, `the claim of epoch ${epoch} ended it`);
      for (const child of [one, two]) child.kill('SIGTERM');
      t.equal(await exitOf(one), 0);
      await exitOf(two);
    });

    t.test('the server restarts under a running script, which goes on under its claim', async (t) => {
      // Its claim must outlive the restart, however long that takes.
      await machine.stopServer();
      await machine.start(60_000);
      const one = machine.spawnAgent('stays');
      await machine.online('stays');
      const run_id = await machine.submit(waiting('restart'));
      await until(async () => (await reached('restart')) === 1);
      await machine.stopServer();
      await writeFile(join(machine.work, 'restart.go'), '');
      await machine.start(60_000);
      await machine.finished(run_id);
      t.equal((await machine.run(run_id)).status, 'succeeded');
      t.match(await machine.claims(run_id), [{ state: 'done', epoch: 1 }]);
      t.equal(await reached('restart'), 1);
      one.kill('SIGTERM');
      await exitOf(one);
    });

    t.test('a wrong token ends the agent with the reason; a revoked one ends a running agent', async (t) => {
      const wrong = machine.spawnAgent('wrong', { SVC_TOKEN: `svc_agt_${'x'.repeat(43)}` });
      t.not(await exitOf(wrong), 0);
      await until(() => wrong.said.includes('SVC_TOKEN'));
      t.notMatch(wrong.said, /xxxxxxxx/);
      const made = await machine.call('POST', '/api/v1/tokens', { name: 'brief', org: 'acme', kind: 'agent' });
      const brief = machine.spawnAgent('brief', { SVC_TOKEN: made.json.token });
      await machine.online('brief');
      t.equal((await machine.call('DELETE', `/api/v1/tokens/${made.json.id}`)).status, 204);
      t.not(await exitOf(brief), 0);
      t.match(brief.said, /answered 401 to the agent|rejected this agent/);
    });
  });
