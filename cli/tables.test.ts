import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { Command } from './command.ts';
import { type CliError, Exit } from './errors.ts';
import { loadCommands, loadVerbs, mergeCommands } from './tables.ts';

const named = (name: string): Command => ({ name, summary: 'a command', load: async () => ({ run: async () => 0 }) });

t.test('commands and verbs of SVC_PLUGINS come beside those that are built in', async (t) => {
  const folder = t.testdir({
    mine: {
      'plugin.json': '{}',
      cli: {
        'table.mjs': `export const commands = [{ name: 'bell ring', summary: 'ring', load: () => import('./ring.mjs') }];`,
        'ring.mjs': 'export const run = async () => 7;',
        'verbs.js': `export const verbs = [{ verb: 'ring', usage: 'svc ring' }];`,
      },
    },
    silent: { 'plugin.json': '{}' },
  });
  const env = { SVC_PLUGINS: [join(folder, 'mine'), join(folder, 'silent'), join(folder, 'absent')].join(',') };
  const ring = (await loadCommands(env)).find(({ name }) => name === 'bell ring');
  const { run } = await ring!.load();
  t.equal(await run({} as never), 7);
  t.equal((await loadCommands({})).length, (await loadCommands(env)).length - 1);
  t.match((await loadVerbs(env)).at(-1), { verb: 'ring' });
});

t.test('a plugin finds the modules of this svc from wherever it lies, and no others', async (t) => {
  // Not below this clone, whose name Node would find by itself.
  const folder = mkdtempSync(join(tmpdir(), 'svc-tables-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const files = {
    'plugin.json': '{}',
    'cli/table.ts': `import { Exit, listCommand } from 'svc/cli';
      export const commands = [{ name: 'bell ring', summary: 'ring', load: async () => ({ Exit, listCommand }) as never }];`,
    'node_modules/svc/package.json': JSON.stringify({ name: 'svc', type: 'module', exports: { './cli': './cli.js' } }),
    'node_modules/svc/cli.js': `throw new Error('another svc');`,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const ring = (await loadCommands({ SVC_PLUGINS: folder })).find(({ name }) => name === 'bell ring');
  t.equal(((await ring!.load()) as unknown as { Exit: unknown }).Exit, Exit, 'the very same');
});

t.test('a table that cannot be used is reported with the name of its plugin, and all others are there', async (t) => {
  const bell = `{ name: 'bell ring', summary: 'ring', load: () => undefined }`;
  const folder = t.testdir({
    broken: { 'plugin.json': '{}', cli: { 'table.mjs': `throw new Error('no luck');` } },
    empty: { 'plugin.json': '{}', cli: { 'table.mjs': 'export const command = {};' } },
    nameless: { 'plugin.json': '{}', cli: { 'table.mjs': 'export const commands = [{}, null];' } },
    twice: { 'plugin.json': '{}', cli: { 'table.mjs': `export const commands = [{ name: 'doctor' }];` } },
    good: { 'plugin.json': '{}', cli: { 'table.mjs': `export const commands = [${bell}];` } },
  });
  const SVC_PLUGINS = ['broken', 'empty', 'nameless', 'twice', 'good'].map((name) => join(folder, name)).join(',');
  const faults: CliError[] = [];
  const commands = await loadCommands({ SVC_PLUGINS }, (fault) => faults.push(fault));
  t.match(faults, [
    { exit: 1, code: 'plugin_commands_invalid', message: /broken.*no luck/ },
    { exit: 1, code: 'plugin_commands_invalid', message: /empty.*exports no list named "commands"/ },
    { exit: 1, code: 'plugin_commands_invalid', message: /nameless.*an entry of "commands" has no name/ },
    { exit: 1, code: 'command_defined_twice', message: /the CLI and .*twice both have the command "doctor"/ },
  ]);
  t.equal(faults.length, 4);
  const names = commands.map(({ name }) => name);
  t.same(names, [...(await loadCommands({})).map(({ name }) => name), 'bell ring']);
});

t.test('verbs that cannot be read are reported, and the built-in ones are there', async (t) => {
  const folder = t.testdir({ broken: { 'plugin.json': '{}', cli: { 'verbs.mjs': 'export const verbs = [{}];' } } });
  const faults: CliError[] = [];
  const verbs = await loadVerbs({ SVC_PLUGINS: join(folder, 'broken') }, (fault) => faults.push(fault));
  t.match(faults, [{ code: 'plugin_commands_invalid', message: /an entry of "verbs" has no verb/ }]);
  t.same(verbs, await loadVerbs({}));
});

t.test('two commands of one name are refused, and both plugins are named', async (t) => {
  const tables = [
    { origin: 'plugins/a', commands: [named('note ls')] },
    { origin: './b', commands: [named('note rm'), named('note ls')] },
  ];
  t.throws(() => mergeCommands(tables), {
    code: 'command_defined_twice',
    message: 'plugins/a and ./b both have the command "note ls"',
  });
});
