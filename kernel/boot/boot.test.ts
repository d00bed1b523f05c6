import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { type Clock, isServiceError, type PluginManifest } from '../contracts/index.ts';
import { type BootOptions, boot, type Kernel, plan } from './index.ts';
import { systemClock } from './services/clock.ts';

const contracts = resolve(import.meta.dirname, '../contracts/index.ts');

/** A plugin on disk, as a third party would have it: `code` is the body of its register function. */
async function write(t: Test, id: string, code: string, manifest: Partial<PluginManifest> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-plugin-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const whole = {
    id,
    version: '1.0.0',
    kernel: '^1',
    requires: [],
    provides: [],
    contributes: [],
    summary: `Is ${id}.`,
    ...manifest,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(whole));
  await writeFile(
    join(folder, 'plugin.mjs'),
    `import { definePlugin } from ${JSON.stringify(contracts)};\nexport default definePlugin(${JSON.stringify(whole)}, (plugin) => {\n${code}\n});\n`,
  );
  return folder;
}

async function local(t: Test, plugins: readonly string[], options: Partial<BootOptions> = {}): Promise<Kernel> {
  const home = await mkdtemp(join(tmpdir(), 'svc-boot-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const kernel = await boot({
    role: 'server',
    env: { SVC_LOG_LEVEL: 'silent', SVC_PLUGINS: plugins.join(','), ...options.env },
    settings: { home, database_url: 'sqlite::memory:', port: 0 },
    ...(options.clock ? { clock: options.clock } : {}),
  });
  t.teardown(async () => {
    await kernel.stop();
  });
  return kernel;
}

const refusal = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isServiceError(error)
    ? { code: error.code, message: error.message }
    : { code: 'none', message: String(error) };
};

t.test('plugins start in the order of their needs and stop in reverse', async (t) => {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  const hooks = (id: string) =>
    `for (const phase of ['onInit', 'onStart', 'onReady']) plugin[phase](['server'], async () => { said.push('${id} ' + phase); return () => { said.push('${id} stop'); }; });
     plugin.onStart(['agent'], async () => { said.push('never'); return () => {}; });`;
  const zebra = await write(t, 'zebra', hooks('zebra'));
  const ant = await write(t, 'ant', hooks('ant'), { requires: ['zebra'] });
  const kernel = await local(t, [ant, zebra]);
  t.match(kernel.tree(), /zebra 1\.0\.0[\s\S]*ant 1\.0\.0/);
  t.match(kernel.base_url(), /^http:\/\/127\.0\.0\.1:\d+$/);
  const report = await kernel.stop();
  t.same(report, { failures: [] });
  t.equal(await kernel.stop(), report, 'stopping is repeatable');
  t.same(said, [
    'zebra onInit',
    'ant onInit',
    'zebra onStart',
    'ant onStart',
    'zebra onReady',
    'ant onReady',
    'ant stop',
    'zebra stop',
  ]);
});

t.test('every fault of the plugins is reported at once, before any code of theirs runs', async (t) => {
  const broken = await write(t, 'broken', '', { kernel: '^9', requires: ['absent'], summary: '' });
  const again = await write(t, 'runs', `throw new Error('this code must not run')`);
  const { code, message } = await refusal(plan([broken, again, './no-such-folder']));
  t.equal(code, 'plugins_invalid');
  for (const part of [/summary/, /the id "runs" is that of/, /no-such-folder: no folder/]) t.match(message, part);
  const older = await write(t, 'older', '', { kernel: '^9', requires: ['absent'] });
  t.match((await refusal(plan([older]))).message, /made for kernel \^9.*requires "absent", which is not there/);
  const left = await write(t, 'left', '', { requires: ['right'] });
  const right = await write(t, 'right', '', { requires: ['left'] });
  t.match((await refusal(plan([left, right]))).message, /in a ring: left, right|in a ring: right, left/);
});

t.test('what a plugin did must be what its manifest says', async (t) => {
  const liar = await write(t, 'liar', '', { provides: ['liar.Thing'], contributes: ['kernel.HttpRoutes'] });
  const { code, message } = await refusal(local(t, [liar]));
  t.equal(code, 'plugins_invalid');
  t.match(message, /"provides" liar\.Thing, which it never binds.*"contributes" to kernel\.HttpRoutes, but does not/);
});

t.test('a plugin that breaks is named with its phase, and what was started is stopped', async (t) => {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  const first = await write(t, 'aa-first', `plugin.onStart(['server'], async () => () => { said.push('stopped'); });`);
  const cases: [string, string][] = [
    ['register', `throw new Error('no')`],
    ['init', `plugin.onInit(['server'], async () => { throw new Error('no'); });`],
    ['start', `plugin.onStart(['server'], async () => { throw new Error('no'); });`],
    ['ready', `plugin.onReady(['server'], async () => { throw new Error('no'); });`],
  ];
  for (const [phase, code] of cases) {
    const bad = await write(t, 'zz-bad', code);
    const found = await refusal(local(t, [first, bad]));
    t.same(found, { code: 'plugin_failed', message: `plugin zz-bad failed in phase ${phase}: no` });
  }
  t.same(said, ['stopped', 'stopped'], 'what was started before start and ready failed');
  const missing = await write(t, 'zz-bad', '');
  await writeFile(join(missing, 'plugin.mjs'), `import 'no-such-package';`);
  t.match((await refusal(local(t, [missing]))).message, /zz-bad failed in phase load: .*is it installed/);
});

t.test('a plugin that hangs is blamed after the bound, at start and at stop', async (t) => {
  const hangs = await write(t, 'hangs', `plugin.onInit(['server'], () => new Promise(() => {}));`);
  const found = await refusal(local(t, [hangs], { env: { SVC_BOOT_TIMEOUT: '50' } }));
  t.same(found, { code: 'plugin_timeout', message: 'plugin hangs was not done with phase init after 50 ms' });
  const lingers = await write(t, 'lingers', `plugin.onStart(['server'], async () => () => new Promise(() => {}));`);
  // A clock whose long timers are short: the bound on stopping is 30 s.
  const clock: Clock = {
    ...systemClock,
    after: (delay_ms, run, options) => systemClock.after(delay_ms >= 30_000 ? 50 : delay_ms, run, options),
  };
  const kernel = await local(t, [lingers], { clock });
  const { failures } = await kernel.stop();
  t.match(failures, [{ plugin: 'lingers', message: /not done with phase stop/ }]);
});

t.test('settings are checked, naming the variable', async (t) => {
  for (const [name, value] of Object.entries({
    SVC_PORT: '70000',
    SVC_LEASE_MS: 'soon',
    SVC_PUBLIC_URL: 'ftp://x',
    SVC_LOG_LEVEL: 'loud',
    SVC_BOOT_TIMEOUT: '-1',
    SVC_EGRESS_ALLOW: '10.0.0.0/33',
  })) {
    const { code, message } = await refusal(
      boot({
        role: 'server',
        env: { SVC_LOG_LEVEL: 'silent', [name]: value },
        settings: { home: tmpdir(), database_url: 'sqlite::memory:' },
      }),
    );
    t.equal(code, 'setting_invalid', name);
    t.match(message, name);
  }
});
