import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import t from 'tap';

const clone = resolve(import.meta.dirname, '../..');

/** A copy of the sources that shares the libraries with this clone, as the copies of mutants do. */
const copy = mkdtempSync(join(tmpdir(), 'svc-copy-'));
for (const part of ['cli', 'connectors', 'kernel', 'plugins', 'package.json'])
  cpSync(join(clone, part), join(copy, part), {
    recursive: true,
    filter: (path) => !/\/console\/web\/|\.test\.ts$/.test(path),
  });
symlinkSync(join(clone, 'node_modules'), join(copy, 'node_modules'));
const cache = join(clone, 'node_modules/.cache/svc');

/** Where the prebuilt files of the copy are. */
function slot(): string {
  const found = readdirSync(cache).map((one) => join(cache, one));
  return found.find((one) => readFileSync(join(one, 'home'), 'utf8') === copy)!;
}

// Files are built more than ten times, which may take seconds each on a busy machine.
t.setTimeout(600_000);
t.teardown(() => {
  rmSync(slot(), { recursive: true, force: true });
  rmSync(copy, { recursive: true, force: true });
});

/** Counts the modules that a process loads from files. */
const COUNTS = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module';
let count = 0;
registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) count += 1; return next(url, context); } });
process.on('exit', () => process.stderr.write('modules: ' + count + '\\n'));`)}`;

const TABLE = join(copy, 'cli/commands/table.ts');

/** Writes a source when the process that builds the file has begun. */
const WRITES = `data:text/javascript,${encodeURIComponent(`import { readFileSync, writeFileSync } from 'node:fs';
setTimeout(() => writeFileSync(${JSON.stringify(TABLE)}, readFileSync(${JSON.stringify(TABLE)})), 1);`)}`;

const MAIN = join(copy, 'cli/main.mjs');
const call = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', cwd: copy });

const WORD = 'check this machine, the profile, the server and its agents';
const helpOf = (command: string) => {
  const { stdout, stderr, status } = call('help', command);
  t.equal(status, 0, stderr);
  return stdout;
};

/** Changes a source and makes it look as old and as long as it was. */
function change(from: string, to: string): void {
  t.equal(from.length, to.length);
  const { atime, mtime } = statSync(TABLE);
  const text = readFileSync(TABLE, 'utf8');
  t.ok(text.includes(from));
  writeFileSync(TABLE, text.replace(from, to));
  utimesSync(TABLE, atime, mtime);
}

/** How many modules a command loads from files. */
function countModules(args: readonly string[], env: Record<string, string> = {}): number {
  const { stderr, status } = spawnSync(process.execPath, ['--import', COUNTS, MAIN, ...args], {
    encoding: 'utf8',
    cwd: copy,
    env: { ...process.env, ...env },
  });
  t.equal(status, 0, stderr);
  return Number(/^modules: (\d+)$/m.exec(stderr)?.[1]);
}

const MAX_OF_COMMAND = 12;

t.test('a command loads one file, however many modules it has', (t) => {
  t.match(helpOf('doctor'), WORD);
  t.ok(countModules(['help', 'doctor']) < MAX_OF_COMMAND);
  t.end();
});

t.test('coverage and profiles see the modules of the sources', (t) => {
  const lists = join(copy, 'coverage');
  t.ok(countModules(['help', 'doctor'], { NODE_V8_COVERAGE: lists }) > MAX_OF_COMMAND);
  t.match(readFileSync(join(lists, readdirSync(lists)[0]!), 'utf8'), '/cli/commands/table.ts');
  t.ok(countModules(['help', 'doctor'], { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${lists}` }) > MAX_OF_COMMAND);
  t.end();
});

t.test('a server loads one file too, with all plugins', (t) => {
  const script = join(copy, 'nothing.sh');
  writeFileSync(script, 'true\n');
  const { status, stderr } = call('run', script);
  t.equal(status, 0, stderr);
  t.ok(countModules(['run', script]) < 60);
  t.end();
});

t.test('strings about import.meta stay as they are', (t) => {
  const folder = join(copy, 'scripts');
  mkdirSync(join(folder, 'lib'), { recursive: true });
  writeFileSync(join(folder, 'lib/where.ts'), 'export const where: string = import.meta.url;\n');
  writeFileSync(
    join(folder, 'main.js'),
    "const { where } = require('./lib/where.ts');\nconsole.log(where.startsWith('file:'), typeof __dirname);\n",
  );
  // The bundler replaces import.meta in a script of CommonJS.
  const { stdout, stderr, status } = call('run', join(folder, 'main.js'));
  t.equal(status, 0, stderr);
  t.match(stdout, 'true string');
  t.end();
});

t.test('what was changed counts at once, also when it looks as it did', (t) => {
  change(WORD, WORD.toUpperCase());
  t.match(helpOf('doctor'), WORD.toUpperCase());
  // Another file in its place, which is older.
  const other = join(copy, 'other.ts');
  cpSync(join(clone, 'cli/commands/table.ts'), other, { preserveTimestamps: true });
  renameSync(other, TABLE);
  t.match(helpOf('doctor'), WORD);
  t.end();
});

t.test('what is changed while the file is made is not kept', (t) => {
  // Files of this moment may be written again within the same tick of the clock.
  change(WORD, WORD.toUpperCase());
  const before = statSync(join(slot(), 'commands.js')).mtimeMs;
  const folder = slot();
  const build = join(copy, 'cli/prebuilt/build.mjs');
  const began = spawnSync(process.execPath, ['--import', WRITES, build, 'commands', folder], { encoding: 'utf8' });
  t.match(began, { status: 3 }, began.stderr);
  t.equal(statSync(join(folder, 'commands.js')).mtimeMs, before);
  t.match(helpOf('doctor'), WORD.toUpperCase());
  change(WORD.toUpperCase(), WORD);
  t.end();
});

t.test('a plugin that is put there has its commands, and stacks name its sources', (t) => {
  const folder = join(copy, 'plugins/wings/odd');
  mkdirSync(join(folder, 'cli'), { recursive: true });
  writeFileSync(join(folder, 'plugin.json'), '{}');
  const table = [
    "const letters = /[äöü]/; const found = letters.test('ü');",
    'export const commands = [{',
    "  name: 'odd fail', summary: 'fails', anywhere: true, load: async () => ({ run: async () => {",
    '    throw new Error(`odd ${found}`);',
    '  } }),',
    '}];',
  ];
  writeFileSync(join(folder, 'cli/table.ts'), table.join('\n'));
  const failed = call('odd', 'fail');
  t.match(failed, { status: 1, stderr: /Error: odd true\n\s+at .*plugins\/wings\/odd\/cli\/table\.ts:4:/ });
  rmSync(folder, { recursive: true });
  t.match(call('odd', 'fail'), { status: 2, stderr: /unknown command "odd/ });
  t.end();
});

t.test('sources that are no program say so once, and the others serve', (t) => {
  const broken = join(copy, 'cli/commands/whoami.ts');
  const text = readFileSync(broken, 'utf8');
  writeFileSync(broken, `${text}\nconst = 1;\n`);
  const { stdout, stderr } = call('help', 'doctor');
  t.match(stdout, WORD);
  t.match(
    stderr,
    /^svc: starts are slow, because the sources cannot be built into one file: cli\/commands\/whoami\.ts:\d+:6: Expected identifier/,
  );
  writeFileSync(broken, text);
  t.match(call('help', 'doctor'), { stdout: WORD, stderr: '' });
  t.end();
});

t.test('while another start makes the file, the sources serve', (t) => {
  change(WORD, WORD.toUpperCase());
  const lock = join(slot(), 'commands.lock');
  writeFileSync(lock, String(process.pid));
  const before = statSync(join(slot(), 'commands.js')).mtimeMs;
  t.match(helpOf('doctor'), WORD.toUpperCase());
  t.equal(statSync(join(slot(), 'commands.js')).mtimeMs, before);
  // A process of this number there is not: whoever held the lock was killed.
  writeFileSync(lock, '4194304');
  t.match(helpOf('doctor'), WORD.toUpperCase());
  t.match(helpOf('doctor'), WORD.toUpperCase());
  t.ok(statSync(join(slot(), 'commands.js')).mtimeMs > before);
  t.end();
});

t.test('commands that start together after a change all see it', async (t) => {
  change(WORD.toUpperCase(), WORD);
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, [MAIN, 'help', 'doctor'], {
        cwd: copy,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const [status] = (await once(child, 'close')) as [number | null];
      t.equal(status, 0);
      return text;
    }),
  );
  for (const output of outputs) t.match(output, WORD);
});

t.test('instead of a folder to which others can write, the cache of the user has the file', (t) => {
  t.match(helpOf('doctor'), WORD);
  const folder = slot();
  const user = mkdtempSync(join(tmpdir(), 'svc-cache-'));
  t.teardown(() => rmSync(user, { recursive: true }));
  chmodSync(folder, 0o777);
  t.ok(countModules(['help', 'doctor'], { XDG_CACHE_HOME: '/dev/null' }) > MAX_OF_COMMAND, 'there is no cache either');
  const own = { XDG_CACHE_HOME: user };
  countModules(['help', 'doctor'], own);
  t.ok(countModules(['help', 'doctor'], own) < MAX_OF_COMMAND);
  const [name = ''] = readdirSync(join(user, 'svc/prebuilt'));
  t.equal(readFileSync(join(user, 'svc/prebuilt', name, 'home'), 'utf8'), copy);
  chmodSync(folder, 0o755);
  t.ok(countModules(['help', 'doctor']) < MAX_OF_COMMAND);
  t.end();
});

t.test('a damaged or missing file is built again', (t) => {
  const folder = slot();
  const code = join(folder, 'commands.js');
  const damage: Readonly<Record<string, () => void>> = {
    'no file': () => rmSync(code),
    'half of the file': () => writeFileSync(code, readFileSync(code).subarray(0, 1000)),
    'half of the listing': () => writeFileSync(join(folder, 'commands.json'), '{"digest":'),
  };
  for (const [what, apply] of Object.entries(damage)) {
    apply();
    t.match(call('help', 'doctor'), { status: 0, stdout: WORD, stderr: '' }, what);
    t.ok(countModules(['help', 'doctor']) < MAX_OF_COMMAND, what);
  }
  t.end();
});

t.test('what a killed start has left is removed, and folders of deleted clones', (t) => {
  const folder = slot();
  const partials = ['commands.js.1', 'commands-help-x.compiled.1', 'kernel.positions.2'].map((name) =>
    join(folder, name),
  );
  for (const path of partials) {
    writeFileSync(path, 'half');
    utimesSync(path, 1, 1);
  }
  const current = join(folder, 'commands.js.3');
  writeFileSync(current, 'another start writes it');
  const deleted = join(cache, 'deleted-clone');
  mkdirSync(deleted);
  writeFileSync(join(deleted, 'home'), join(copy, 'nothing'));
  rmSync(join(folder, 'commands.js'));
  t.match(helpOf('doctor'), WORD);
  for (const path of [...partials, deleted]) t.notOk(existsSync(path), path);
  t.ok(existsSync(current));
  rmSync(current);
  t.end();
});

t.test('when the program that builds the file fails, its error is the reason', (t) => {
  const build = join(copy, 'cli/prebuilt/build.mjs');
  const text = readFileSync(build, 'utf8');
  // It fails before it has written anything else, and says whose folder it is.
  rmSync(slot(), { recursive: true });
  writeFileSync(build, text.replace('const { entry,', "if (home) throw new Error('no space left');\nconst { entry,"));
  const { stdout, stderr } = call('help', 'doctor');
  t.match(stdout, WORD);
  t.equal(stderr, 'svc: starts are slow, because the sources cannot be built into one file: Error: no space left\n');
  t.equal(readFileSync(join(slot(), 'home'), 'utf8'), copy);
  writeFileSync(build, text);
  t.match(call('help', 'doctor'), { stdout: WORD, stderr: '' });
  t.end();
});

t.test('a command that serves and fails before it is ready stores nothing', (t) => {
  t.equal(call('serve', '--nothing').status, 2);
  t.equal(call('logs', '--nothing').status, 2);
  const stored = (word: string) => readdirSync(slot()).some((name) => name.startsWith(`commands-${word}-`));
  t.ok(stored('logs'));
  t.notOk(stored('serve'));
  t.end();
});

t.test('the oldest compiled code is removed', (t) => {
  const folder = slot();
  for (let number = 0; number < 130; number += 1) {
    const path = join(folder, `commands-old-${number}.compiled`);
    writeFileSync(path, 'old');
    utimesSync(path, number, number);
  }
  t.equal(call('help', 'doctor', '--json').status, 0);
  t.equal(call('whoami', '--help').status, 0);
  const compiled = readdirSync(folder).filter((name) => name.endsWith('.compiled'));
  t.equal(compiled.length, 120);
  t.ok(compiled.some((name) => name.startsWith('commands-whoami-')));
  t.notOk(compiled.includes('commands-old-0.compiled'));
  t.end();
});
