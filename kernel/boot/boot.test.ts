import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { Clock, definePlugin, isServiceError, LoadedPlugins, type PluginManifest, token } from '../contracts/index.ts';
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

/** One line a plugin, in boot order. */
const loaded = ({ use }: Kernel): string =>
  use(LoadedPlugins)
    .list.map(({ manifest, builtin, origin }) => `${manifest.id} ${manifest.version}${builtin ? '' : ` (${origin})`}`)
    .join('\n');

async function local(t: Test, plugins: readonly string[], options: Partial<BootOptions> = {}): Promise<Kernel> {
  const home = await mkdtemp(join(tmpdir(), 'svc-boot-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const kernel = await boot({
    role: 'server',
    env: { SVC_LOG_LEVEL: 'silent', SVC_PLUGINS: plugins.join(','), ...options.env },
    settings: { home, database_url: 'sqlite::memory:', port: 0 },
    plugins: options.plugins,
    replace: options.replace,
    idle: options.idle,
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
  const phases = ['onCheck', 'onMigrate', 'onInit', 'onStart', 'onListen'];
  const hooks = (id: string) =>
    `for (const phase of ${JSON.stringify(phases)}) plugin[phase](['server'], async () => { said.push('${id} ' + phase); return () => { said.push('${id} stops ' + phase); }; });
     plugin.onReady(['server'], async () => { said.push('${id} onReady'); });
     plugin.onStart(['agent'], async () => { said.push('never'); return () => {}; });`;
  const zebra = await write(t, 'zebra', hooks('zebra'));
  const ant = await write(t, 'ant', hooks('ant'), { requires: ['zebra'] });
  const kernel = await local(t, [ant, zebra]);
  t.match(loaded(kernel), /zebra 1\.0\.0[\s\S]*ant 1\.0\.0/);
  t.match(kernel.base_url(), /^http:\/\/127\.0\.0\.1:\d+$/);
  const report = await kernel.stop();
  t.same(report, { failures: [] });
  t.equal(await kernel.stop(), report, 'stopping is repeatable');
  t.same(said, [
    ...[...phases, 'onReady'].flatMap((phase) => [`zebra ${phase}`, `ant ${phase}`]),
    ...phases.toReversed().flatMap((phase) => [`ant stops ${phase}`, `zebra stops ${phase}`]),
  ]);
});

t.test('every fault of the plugins is reported at once, before any code of theirs runs', async (t) => {
  const broken = await write(t, 'broken', '', { kernel: '^9', requires: ['absent'], summary: '' });
  const again = await write(t, 'runs', `throw new Error('this code must not run')`);
  const { code, message } = await refusal(plan([broken, again, './no-such-folder']));
  t.equal(code, 'plugins_invalid');
  for (const part of [/summary/, /the id "runs" is already used by/, /no-such-folder: no folder/])
    t.match(message, part);
  const older = await write(t, 'older', '', { kernel: '^9', requires: ['absent'] });
  t.match((await refusal(plan([older]))).message, /needs kernel \^9.*requires "absent", which is not loaded/);
  const left = await write(t, 'left', '', { requires: ['right'] });
  const right = await write(t, 'right', '', { requires: ['left'] });
  t.match((await refusal(plan([left, right]))).message, /in a cycle: left, right|in a cycle: right, left/);
});

t.test('what a plugin did must be what its manifest says', async (t) => {
  const liar = await write(t, 'liar', '', { provides: ['liar.Thing'], contributes: ['kernel.HttpRoutes'] });
  const { code, message } = await refusal(local(t, [liar]));
  t.equal(code, 'plugins_invalid');
  t.match(
    message,
    /"provides" names liar\.Thing, but the plugin does not bind it.*"contributes" names kernel\.HttpRoutes, but the plugin does not contribute to it/,
  );
});

t.test('a plugin that breaks is named with its phase, and what was started is stopped', async (t) => {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  const first = await write(t, 'aa-first', `plugin.onStart(['server'], async () => () => { said.push('stopped'); });`);
  const cases: [string, string][] = [
    ['register', `throw new Error('no')`],
    ['check', `plugin.onCheck(['server'], async () => { throw new Error('no'); });`],
    ['migrate', `plugin.onMigrate(['server'], async () => { throw new Error('no'); });`],
    ['init', `plugin.onInit(['server'], async () => { throw new Error('no'); });`],
    ['start', `plugin.onStart(['server'], async () => { throw new Error('no'); });`],
    ['listen', `plugin.onListen(['server'], async () => { throw new Error('no'); });`],
    ['ready', `plugin.onReady(['server'], async () => { throw new Error('no'); });`],
  ];
  for (const [phase, code] of cases) {
    const bad = await write(t, 'zz-bad', code);
    const found = await refusal(local(t, [first, bad]));
    t.same(found, { code: 'plugin_failed', message: `plugin zz-bad failed in phase ${phase}: no` });
  }
  t.same(said, ['stopped', 'stopped', 'stopped'], 'what was started before start, listen and ready failed');
  const missing = await write(t, 'zz-bad', '');
  await writeFile(join(missing, 'plugin.mjs'), `import 'no-such-package';`);
  t.match((await refusal(local(t, [missing]))).message, /zz-bad failed in phase load: .*is it installed/);
});

t.test('a disk that does not take what a plugin writes is named with what to do about it', async (t) => {
  // Writing to it fails as on a full disk.
  const full = await write(
    t,
    'zz-full',
    "plugin.onInit(['server'], async () => (await import('node:fs')).writeFileSync('/dev/full', 'x'));",
  );
  const error = await boot({
    role: 'server',
    env: { SVC_LOG_LEVEL: 'silent', SVC_PLUGINS: full },
    settings: { database_url: 'sqlite::memory:', port: 0 },
    plugins: ['database'],
  }).catch((reason: unknown) => reason);
  t.match(error, { code: 'disk_full', message: /zz-full failed in phase init: ENOSPC/, next: /Free space/ });
  t.notMatch((error as { next: string }).next, 'SVC_PLUGINS');
});

t.test('a plugin that hangs is blamed after the bound, at start and at stop', async (t) => {
  const hangs = await write(t, 'hangs', `plugin.onInit(['server'], () => new Promise(() => {}));`);
  const found = await refusal(local(t, [hangs], { env: { SVC_BOOT_TIMEOUT: '2000' } }));
  t.same(found, { code: 'plugin_timeout', message: 'plugin hangs did not finish phase init within 2000 ms' });
  const lingers = await write(t, 'lingers', `plugin.onStart(['server'], async () => () => new Promise(() => {}));`);
  // A clock whose long timers become short when everything runs: the time limit of stopping is 30 s.
  let up = false;
  const clock: Clock = {
    ...systemClock,
    after: (delay_ms, run, options) => systemClock.after(up && delay_ms >= 30_000 ? 2000 : delay_ms, run, options),
  };
  const kernel = await local(t, [lingers], { replace: [[Clock, () => clock]] });
  up = true;
  const { failures } = await kernel.stop();
  t.match(failures, [{ plugin: 'lingers', message: /did not finish phase stop/ }]);
});

t.test('a caller chooses plugins, replaces services and leaves out background work', async (t) => {
  const Greeting = token<string>('chosen.Greeting');
  const said: string[] = [];
  const manifest = { id: 'chosen', version: '1.0.0', kernel: '^1', summary: 'Is chosen.', contributes: [] };
  const chosen = definePlugin({ ...manifest, requires: ['audit'], provides: ['chosen.Greeting'] }, (plugin) => {
    plugin.bind(Greeting, () => 'hello');
    plugin.onInit(['server'], async () => void said.push('init'));
    plugin.onStart(['server'], async () => () => void said.push('started'));
  });
  const kernel = await local(t, [], {
    plugins: [chosen],
    replace: [[Greeting, (_use, own: () => string) => `${own()} you`]],
    idle: true,
  });
  t.equal(kernel.use(Greeting), 'hello you');
  t.match(loaded(kernel), /audit[\s\S]*chosen/);
  t.notMatch(loaded(kernel), /schedules|console/);
  await kernel.stop();
  t.same(said, ['init']);
  t.match(await refusal(local(t, [], { plugins: ['no-such-plugin'] })), { code: 'plugins_invalid' });
});

t.test('an adapter makes plugins of data, which are plugins like all others', async (t) => {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  const folder = await write(t, 'adapter', '', { adapts: true });
  const adapter = (code: string) =>
    writeFile(
      join(folder, 'adapter.mjs'),
      `import { definePlugin } from ${JSON.stringify(contracts)};
       const made = (id, more = {}) => ({
         origin: '/data/' + id, builtin: false,
         plugin: definePlugin({ id, version: '1.0.0', kernel: '^1', requires: ['adapter'], provides: [], contributes: [], summary: id, ...more },
           (setup) => setup.onInit(['server'], async () => { said.push(id); })),
       });
       ${code}`,
    );
  t.match((await refusal(plan([folder]))).message, /none of adapter\.ts, adapter\.js, adapter\.mjs/);
  await adapter(`export const adapt = async ({ role, env }) => [made('data:' + env.NAME), made('data:' + role)];`);
  const kernel = await local(t, [folder], { env: { NAME: 'one' }, plugins: ['schema'] });
  t.match(loaded(kernel), /adapter 1\.0\.0[\s\S]*data:one 1\.0\.0 \(\/data\/data:one\)[\s\S]*data:server/);
  t.same(said, ['data:one', 'data:server']);
  await kernel.stop();
  const bad: [code: string, says: RegExp][] = [
    ['export const adapt = 7;', /its adapter file must export adapt/],
    [
      'export const adapt = async () => { throw new Error("no data"); };',
      /plugin adapter failed in phase adapt: no data/,
    ],
    [`export const adapt = async () => [made('adapter')];`, /the id "adapter" is already used/],
    [`export const adapt = async () => [made('Data')];`, /\/data\/Data: plugin\.json \/id/],
    [`export const adapt = async () => [made('data:x', { requires: ['absent'] })];`, /requires "absent"/],
  ];
  for (const [index, [code, says]] of bad.entries()) {
    const { message } = await refusal(plan([await copyOf(t, folder, code, index, adapter)]));
    t.match(message, says, code);
  }
});

/** A module is loaded once: another adapter needs another folder. */
async function copyOf(t: Test, folder: string, code: string, index: number, adapter: (code: string) => Promise<void>) {
  const copy = await mkdtemp(join(tmpdir(), `svc-adapter-${index}-`));
  t.teardown(() => rm(copy, { recursive: true, force: true }));
  await adapter(code);
  await cp(folder, copy, { recursive: true });
  return copy;
}

t.test('a bare kernel has code and no state', async (t) => {
  const said: string[] = [];
  const Greeting = token<string>('chosen.Greeting');
  const manifest = { id: 'chosen', version: '1.0.0', kernel: '^1', summary: 'Greets.', contributes: [] };
  const chosen = definePlugin({ ...manifest, requires: [], provides: [Greeting.name] }, (plugin) => {
    plugin.bind(Greeting, () => 'hello');
    for (const phase of ['onCheck', 'onMigrate', 'onInit', 'onStart', 'onListen'] as const)
      plugin[phase](['server'], async () => () => void said.push(phase));
  });
  const home = await mkdtemp(join(tmpdir(), 'svc-boot-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const settings = { home, database_url: `sqlite:${join(home, 'svc.db')}` };
  const kernel = await boot({
    role: 'server',
    env: { SVC_LOG_LEVEL: 'silent' },
    settings,
    plugins: [chosen],
    bare: true,
  });
  t.equal(kernel.use(Greeting), 'hello');
  await kernel.stop();
  t.same(said, []);
  t.same(await readdir(home), []);
});

t.test('settings are checked, naming the variable, before the database is opened', async (t) => {
  const wrong = {
    SVC_PORT: '70000',
    SVC_LEASE_MS: 'soon',
    SVC_PUBLIC_URL: 'ftp://x',
    SVC_LOG_LEVEL: 'loud',
    SVC_BOOT_TIMEOUT: '-1',
    SVC_EGRESS_ALLOW: '10.0.0.0/33',
    SVC_RATE_LIMIT: 'token=much',
    SVC_RETENTION: 'runs=long',
    SVC_TRUSTED_PROXY: '10.0.0.0/33',
  };
  const home = t.testdir({});
  for (const role of ['server', 'agent', 'local'] as const)
    for (const [name, value] of Object.entries(wrong)) {
      const env = { SVC_LOG_LEVEL: 'silent', [name]: value };
      const { code, message } = await refusal(
        boot({ role, env, settings: { home, database_url: `sqlite:${join(home, 'svc.db')}` } }),
      );
      t.equal(code, 'setting_invalid', `${name} as ${role}`);
      t.match(message, name);
    }
  t.same(await readdir(home), []);
});
