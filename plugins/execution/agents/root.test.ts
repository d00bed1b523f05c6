import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Service } from '../../../features/support/process.ts';
import { svcProgram } from '../../../features/support/target.ts';
import { until } from '../../../test/kit/index.ts';
import { AgentProcesses, exitOf } from './testing/agent-processes.ts';
import { lacking, needsOtherUsers } from '../../../test/kit/needs.ts';

t.setTimeout(600_000);

/** What a run tries of its agent and of the other project, whose process writes down where it is. */
const PROBE = `
  tried() { if "$@" >/dev/null 2>&1; then echo read; else echo refused; fi; }
  echo secret > "$TMPDIR/left"
  svc output set user="$(id -u)" workdir="$PWD" tmp="$TMPDIR" agent="$(tried cat "/proc/$SVC_AGENT_PID/environ")" \\
    memory="$(tried head -c 1 "/proc/$SVC_AGENT_PID/mem")" maps="$(tried grep -q . "/proc/$SVC_AGENT_PID/maps")"
`;

t.test('an agent that runs as root', lacking('root', process.getuid?.() !== 0), async (t) => {
  const machine = await AgentProcesses.opened(t);
  await machine.call('PUT', '/api/v1/orgs/acme/projects/other', {});
  const strict = { SVC_AGENT_ALLOW_ROOT: '' };
  const output = async (project: string) => {
    const path = `/api/v1/orgs/acme/projects/${project}/runs`;
    const { json } = await machine.call('POST', `${path}?wait=30s`, { filename: 'probe.sh', source: PROBE });
    await until(async () => (await machine.call('GET', `${path}/${json.run_id}`)).json.status === 'succeeded');
    return (await machine.call('GET', `${path}/${json.run_id}`)).json.output;
  };

  t.test('does not start for a whole org, and says what to do', async (t) => {
    const agent = machine.spawnAgent('refused', strict);
    t.not(await exitOf(agent), 0);
    t.match(agent.said, /serves every project of its org/);
    t.match(agent.said, /SVC_AGENT_RUN_AS=20000-20999/);
    t.match(agent.said, /--allow-root/);
    t.notMatch(agent.said, /svc_agt_/);
  });

  t.test('starts for one project, whose programs are root then', async (t) => {
    const body = { name: 'b', org: 'acme', kind: 'agent', project: 'main' };
    const { json } = await machine.call('POST', '/api/v1/tokens', body);
    const agent = machine.spawnAgent('one-project', { ...strict, SVC_TOKEN: json.token });
    await machine.online('one-project');
    t.match(await output('main'), { user: '0' });
    agent.kill('SIGTERM');
    t.equal(await exitOf(agent), 0);
  });

  t.test('starts where everything is isolated', async (t) => {
    const agent = machine.spawnAgent('isolated', { ...strict, SVC_AGENT_ISOLATE: 'all' });
    await Promise.race([machine.online('isolated'), exitOf(agent)]);
    // Not every machine can isolate.
    if (agent.exitCode !== null) t.match(agent.said, /cannot isolate programs/);
    agent.kill('SIGTERM');
    await exitOf(agent);
  });

  t.test('gives each project a user', needsOtherUsers(), async (t) => {
    const state = join(machine.home, 'state');
    const agent = machine.spawnAgent('users', { ...strict, SVC_AGENT_RUN_AS: '20000-20999', SVC_AGENT_STATE: state });
    await machine.online('users');
    const [main, other] = [await output('main'), await output('other')];
    for (const { user, workdir, tmp, ...tried } of [main, other]) {
      t.ok(Number(user) >= 20_000 && Number(user) <= 20_999, user);
      t.equal(workdir, join(machine.work, user), 'each has a folder of its own in the workdir');
      t.match(tmp, new RegExp(`^${machine.work}/tmp/svc-agent-[^/]+/tmp-${user}$`), 'and one for temporary files');
      t.same(tried, { agent: 'refused', memory: 'refused', maps: 'refused' });
    }
    t.not(main.user, other.user);
    t.ok(existsSync(join(state, 'users', main.user)));
    agent.kill('SIGKILL');
    await exitOf(agent);
    t.ok(existsSync(join(main.tmp, 'left')), 'nobody has removed it yet');
    const next = machine.spawnAgent('next', { ...strict, SVC_AGENT_RUN_AS: '20000-20999', SVC_AGENT_STATE: state });
    await machine.online('next');
    t.notOk(existsSync(main.tmp), 'the next agent removes what a killed one left');
    next.kill('SIGTERM');
    t.equal(await exitOf(next), 0, next.said);
    t.same(await machine.folders(), [], 'its folder is gone');
  });

  t.test('refuses a setting that it cannot follow', async (t) => {
    const agent = machine.spawnAgent('nobody', { ...strict, SVC_AGENT_RUN_AS: 'no-such-user' });
    t.not(await exitOf(agent), 0);
    t.match(agent.said, /SVC_AGENT_RUN_AS.*no such user/s);
  });

  t.test('starts in svc dev without being told to, which says what that means', async (t) => {
    const env = { PATH: process.env.PATH!, HOME: machine.home, SVC_LOG_LEVEL: 'warn' };
    const dev = new Service(svcProgram, ['dev', '--port', '0'], { cwd: machine.home, env });
    t.teardown(() => dev.kill('SIGKILL'));
    await dev.says(/is ready: /);
    t.match(dev.log, /programs run as root .*SVC_AGENT_RUN_AS=20000-20999/);
    await dev.kill('SIGTERM');
    t.equal(dev.child.exitCode, 0);
  });
});
