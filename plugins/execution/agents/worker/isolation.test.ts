import t from 'tap';
import type { Executor } from '../contract.ts';
import { detectIsolation, rootNotice } from './isolation.ts';
import { readWorkerSettings } from './settings.ts';

const settings = (env: Record<string, string>) => readWorkerSettings({ env, role: 'agent' });

/** An executor of programs, on a machine that isolates them or says why not. */
const executor = (fault: string | undefined): Executor => ({
  executor: 'script',
  capabilities: async () => [],
  isolation: async () => fault,
  start: () => {
    throw new Error('nothing is started here');
  },
});

t.test('the network of isolated programs is a setting', async (t) => {
  t.equal(settings({}).network, 'host');
  t.equal(settings({ SVC_AGENT_NETWORK: 'none' }).network, 'none');
  t.throws(() => settings({ SVC_AGENT_NETWORK: 'off' }), {
    code: 'agent_setting_invalid',
    message: /SVC_AGENT_NETWORK is "off"; it must be one of host, loopback-denied, none/,
  });
});

t.test('an agent does not start with a network that it cannot give', async (t) => {
  const start = (env: Record<string, string>, fault?: string) => detectIsolation([executor(fault)], settings(env));
  t.same(await start({ SVC_AGENT_NETWORK: 'none' }), { untrusted: 'isolate' });
  t.same(await start({ SVC_AGENT_NETWORK: 'none', SVC_AGENT_UNTRUSTED: 'refuse', SVC_AGENT_ISOLATE: 'all' }), {
    untrusted: 'refuse',
  });
  t.same(await start({}, 'no namespaces'), { untrusted: 'isolate', missing: 'no namespaces' });
  await t.rejects(start({ SVC_AGENT_NETWORK: 'loopback-denied' }, 'no control groups'), {
    code: 'agent_setting_invalid',
    message: /SVC_AGENT_NETWORK is "loopback-denied", but this machine cannot do that: no control groups/,
  });
  await t.rejects(start({ SVC_AGENT_NETWORK: 'none', SVC_AGENT_UNTRUSTED: 'refuse' }), {
    code: 'agent_setting_invalid',
    message: /this agent isolates nothing/,
  });
});

t.test('whose processes programs are is a setting, and root is told', async (t) => {
  const is_root = process.getuid?.() === 0;
  const as_root = (env: Record<string, string>) => settings(env).as_root;
  t.equal(as_root({}), is_root);
  const apart: Record<string, string>[] = [
    { SVC_AGENT_ALLOW_ROOT: 'on' },
    { SVC_AGENT_ISOLATE: 'all' },
    { SVC_AGENT_UNTRUSTED: 'only' },
    ...(is_root ? [{ SVC_AGENT_RUN_AS: '20000-20999' }] : []),
  ];
  for (const env of apart) t.equal(as_root(env), false, JSON.stringify(env));
  const wrong = { code: 'agent_setting_invalid', message: /SVC_AGENT_RUN_AS/ };
  t.throws(() => settings({ SVC_AGENT_RUN_AS: 'root' }), wrong);
  if (!is_root) t.throws(() => settings({ SVC_AGENT_RUN_AS: '20000-20999' }), wrong);
  t.match(rootNotice('dev', { as_root: true }), /programs run as root.*SVC_AGENT_RUN_AS/);
  t.equal(rootNotice('dev', { as_root: false }), undefined);
  t.equal(rootNotice('agent', { as_root: true }), undefined, 'an agent is refused instead');
});
