import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { runToEnd, Service } from '../../features/support/process.ts';
import { clone, packageVersion, svcProgram } from '../../features/support/target.ts';
import { openTestDatabase, STORES } from '../kit/databases.ts';
import { fileNeeds, needs } from '../kit/needs.ts';
import { onlyLong } from '../support/length.ts';
import { copyOfClone, emptyMachine, installGlobally, pack, said } from './installed.ts';
import { programs } from './programs.ts';

/** On loaded cores each step takes several times as long as alone. */
t.setTimeout(900_000);
const STEP_MS = 180_000;
/** npm takes longer for the number of files than for their size. 1,000 of them are pages: of the documentation and of the console. */
const MAX_FILES = 1800;
/** The benchmark holds 2.5 on a machine of its own; with all commands in one file it was 10. */
const MAX_TIMES_OF_NODE = 4;
/**
 * The package includes its libraries: 0.9 MiB of them are files of their own, the others are part of the file of the kernel. A table
 * maps its lines to the sources for stack traces. The fonts of the console take 0.3 MiB, the site of the documentation 2.2.
 */
const MAX_BYTES = 10 * 1024 * 1024;

fileNeeds(t, 'git');

const machine = emptyMachine();
t.teardown(() => machine.remove());
const { folder: home, env } = machine;
const copy = copyOfClone(home);
const tarball = pack(copy, machine);

t.test('a pack that was ended in between is mended', async (t) => {
  const [manifest, kept] = ['package.json', 'package.clone.json'].map((name) => join(copy, name)) as [string, string];
  const own = readFileSync(manifest, 'utf8');
  const mend = () => said(process.execPath, ['cli/build/pack.mjs', 'after'], copy);
  writeFileSync(kept, own);
  writeFileSync(manifest, said('tar', ['xzOf', tarball, 'package/package.json'], home));
  const { scripts } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts: Record<string, string> };
  t.ok(scripts.prepack, 'the next one begins with that');
  mend();
  t.equal(readFileSync(manifest, 'utf8'), own);
  t.notOk(existsSync(kept));
  writeFileSync(kept, '{}');
  mend();
  t.equal(readFileSync(manifest, 'utf8'), own, 'what git has put back is not replaced');
  t.notOk(existsSync(kept));
});

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
}

t.test('it brings the versions that it was tested with', async (t) => {
  const inside = (name: string) => said('tar', ['xzOf', tarball, `package/${name}`], home);
  const packagesOf = (text: string) => (JSON.parse(text) as { packages: Record<string, Locked> }).packages;
  const packages = packagesOf(inside('npm-shrinkwrap.json'));
  const own = packagesOf(readFileSync(join(clone, 'package-lock.json'), 'utf8'));
  const { dependencies } = JSON.parse(inside('package.json')) as { dependencies: Record<string, string> };
  t.same(packages['']!.dependencies, dependencies);
  const others = Object.entries(packages).filter(([path]) => path !== '');
  t.ok(others.length >= Object.keys(dependencies).length);
  const strange = others.filter(([path, { version, integrity, resolved, dev }]) => {
    const known = own[path];
    return resolved !== undefined || dev || version !== known?.version || !integrity || integrity !== known.integrity;
  });
  t.same(strange, [], 'with digests, without addresses, and nothing of development');
  t.notMatch(inside('npm-shrinkwrap.json'), /"resolved"/);
  t.notOk(existsSync(join(copy, 'npm-shrinkwrap.json')), 'a clone is installed by package-lock.json');
  t.match(inside('LICENSE'), /Apache License\s+Version 2\.0/);
  t.match(inside('SECURITY.md'), /advisor/);
});

t.test('the tarball holds what runs and nothing else', async (t) => {
  const files = said('tar', ['tzf', tarball], home).trim().split('\n');
  const bytes = statSync(tarball).size;
  t.comment(`${files.length} files, ${(bytes / 1024 / 1024).toFixed(1)} MiB`);
  t.ok(files.length < MAX_FILES && bytes < MAX_BYTES, `${files.length} files, ${bytes} bytes`);
  const strange = files.filter(
    (path) => !/^package\/(package\.json|npm-shrinkwrap\.json|README\.md|LICENSE|SECURITY\.md|dist\/.+)$/.test(path),
  );
  t.same(strange, []);
  const starter = /^package\/dist\/test\/plugins\/starter\//;
  const others = files.filter((path) => !starter.test(path));
  t.same(
    others.filter((path) => /(?<!\.d)\.m?ts$/.test(path)),
    [],
    'no TypeScript, which Node does not run below node_modules',
  );
  t.same(
    others.filter((path) => /\.test\.|testsuite|\/testing\/|\.feature$|\/(web\/(?!dist\/)|cli\/build\/)/.test(path)),
    [],
    'nothing of tests and of development',
  );
  const manifest = JSON.parse(said('tar', ['xzOf', tarball, 'package/package.json'], home)) as Record<string, object>;
  t.notOk(manifest.devDependencies);
  const named = Object.values((manifest.exports ?? {}) as Record<string, string | { types: string; default: string }>)
    .flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one)))
    .map((path) => path.replace('./', 'package/'));
  t.same(
    named.filter((path) => !files.includes(path)),
    [],
    'each name that is published has its file',
  );
  const unnamed = [
    'expressions/workers/thread',
    'expressions/workers/compile-all',
    'pipelines/document/in-worker',
    'functions/service/in-worker',
  ];
  for (const module of unnamed)
    t.ok(
      files.some((path) => path.endsWith(`/${module}.js`)),
      `${module}, which a worker thread loads`,
    );
});

const began = performance.now();
const leftOut = installGlobally(tarball, machine);
if (leftOut !== undefined) t.comment(`left out: the installed package, because ${leftOut}`);
else {
  const folder = join(home, 'work');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  const svc = (args: string[], more: Record<string, string> = {}, cwd = folder) =>
    runToEnd('svc', args, { cwd, env: { ...env, ...more }, bound_ms: STEP_MS });
  const dist = join(home, 'prefix/lib/node_modules/svc/dist');

  t.test('three commands lead to the first run of a script', needs('python3'), async (t) => {
    const dev = await started(t, { SVC_EGRESS_ALLOW: '127.0.0.1' }, folder);
    const ran = await svc(['submit', 'hello.sh', '--follow']);
    t.comment(`install, dev and the first run took ${((performance.now() - began) / 1000).toFixed(1)} s`);
    t.equal(ran.exit, 0, ran.stderr);
    const times = processorTime('svc --version') / processorTime('node -e 0');
    t.ok(
      times < MAX_TIMES_OF_NODE,
      `svc --version takes ${times.toFixed(1)} times what an empty program of Node takes`,
    );
    const native = spawnSync('cc', ['--version']).status === 0 && process.platform === 'linux';
    t.match(ran.stdout, native ? /^hello you\nELF\n$/m : /^hello you\n/m, 'with the native programs where there is cc');
    for (const name of ['hello.ts', 'hello.py']) {
      const other = await svc(['submit', name, '--follow', '--json']);
      t.equal(other.exit, 0, other.stderr);
      t.match(other.stdout, /"hello": ?"(ana|eve)"/, name);
    }
    const request = JSON.stringify({ url: `${dev}/livez` });
    const sent = await svc(['submit', '--node', 'http', '--config', request, '--follow', '--json']);
    t.equal(sent.exit, 0, `a node sends a request ${sent.stderr}`);
    await servesPages(t, dev);
  });

  t.test('the command by itself', async (t) => {
    t.equal((await svc(['--version'])).stdout.trim(), packageVersion);
    const ofClone = said(svcProgram, ['plugins', '--json'], folder);
    t.same(JSON.parse((await svc(['plugins', '--json'])).stdout), JSON.parse(ofClone), 'the plugins of the clone');
    const ran = await svc(['run', 'hello.sh']);
    t.match(ran.stdout, /^hello you$/m, ran.stderr);
    const page = await svc(['docs', 'step', '--text']);
    t.match(page, { exit: 0, stdout: /^## svc step\n/ }, 'a page of a reference, without a server and without a clone');
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } })";
    const asOld = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, join(dist, 'cli/main.mjs'), 'whoami'];
    const refused = await runToEnd(process.execPath, asOld, { cwd: folder, env });
    t.match(refused, { exit: 2, stdout: '', stderr: /^svc: Node 24 or newer .*; install Node 24 or newer .*\n$/ });
  });

  t.test('the libraries in it', async (t) => {
    const libraries = globSync('node_modules/{@*/*,[!@.]*}/package.json', { cwd: dist });
    const names = libraries.map(
      (path) => (JSON.parse(readFileSync(join(dist, path), 'utf8')) as { name: string }).name,
    );
    t.ok(names.includes('mysql2') && names.includes('@opentelemetry/sdk-trace'), names.join(' '));
    const load = `for (const name of ${JSON.stringify(names)}) if (Object.keys(require(name)).length === 0) throw name`;
    said(process.execPath, ['--eval', load], dist, env);
    const notices = readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of [...names, 'ajv', 'restify', 'sequelize', 'yaml']) t.match(notices, `\n${name} `, name);
    const packages = globSync('**/node_modules/{@*/*,[!@.]*}/package.json', { cwd: join(dist, '..') });
    t.same(
      packages.map((path) => dirname(path)).filter((path) => !path.startsWith('dist/') && !/@?esbuild/.test(path)),
      [],
      'npm installs only what is made for one kind of machine',
    );
  });

  for (const store of STORES)
    t.test(`a new database on ${store}`, async (t) => {
      const database = await openTestDatabase(store);
      t.teardown(() => database.drop());
      const settings = { SVC_DATABASE_URL: database.url, SVC_MASTER_KEY: database.master_key };
      const created = await svc(['admin', 'bootstrap', '--org', 'acme', '--project', 'web', '--user', 'ana'], settings);
      t.match(created, { exit: 0, stdout: /^svc_pat_\S+\n$/ });
    });

  t.test('a script in an editor has types', onlyLong, async (t) => {
    const compiler = join(clone, 'node_modules/.bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'preserve', '--target', 'es2024', '--skipLibCheck'];
    const check = (file: string) =>
      runToEnd(compiler, [...options, '--allowImportingTsExtensions', file], { cwd: folder, env });
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(dist, join(folder, 'node_modules/svc'));
    t.match(await check('hello.ts'), { exit: 0, stdout: '' });
    writeFileSync(join(folder, 'wrong.ts'), "import { sleep } from 'svc/sdk';\nawait sleep({});\n");
    t.match(await check('wrong.ts'), { exit: 2, stdout: /wrong\.ts\(2,13\): error TS/ });
    rmSync(join(folder, 'node_modules/svc'));
  });

  t.test('a plugin is begun, tested and loaded beside it', onlyLong, async (t) => {
    const begun = await svc(['plugin', 'init', 'fruit-tally']);
    t.equal(begun.exit, 0, begun.stderr);
    const plugin = join(folder, 'fruit-tally');
    const again = await svc(['plugin', 'init', 'fruit-tally']);
    t.match(again, { exit: 2, stderr: /it exists/ }, 'what is there is not overwritten');
    for (const name of ['runs', 'Tally', 'kernel']) t.equal((await svc(['plugin', 'init', name])).exit, 2, name);
    await t.test('its own test and its types', (t) => itsTools(t, plugin));
    // What svc finds by itself. In place of the link lies another svc, which would fail at once.
    decoy(plugin);
    writeFileSync(
      join(folder, 'count.sh'),
      'svc fruit-tally-count apples\nsvc sleep 50ms\necho "by $FRUIT_TALLY_VERSION"\n',
    );
    await t.test('in TypeScript, from its own folder', (t) => onServer(t, plugin));
    await t.test('built, as a package', async (t) => {
      rmSync(join(plugin, 'dist/node_modules'), { recursive: true, force: true });
      cpSync(join(plugin, 'dist'), join(folder, 'node_modules/svc-plugin-fruit-tally'), { recursive: true });
      await onServer(t, 'svc-plugin-fruit-tally');
    });
  });

  /** What an author calls with `npm test`, `npm run check` and `npm run build`, by the tools of this clone. */
  async function itsTools(t: Test, plugin: string): Promise<void> {
    mkdirSync(join(plugin, 'node_modules/@types'));
    symlinkSync(join(clone, 'node_modules/@types/node'), join(plugin, 'node_modules/@types/node'));
    const { SVC_TEST_MYSQL_URL } = process.env;
    const options = { cwd: plugin, env: SVC_TEST_MYSQL_URL ? { ...env, SVC_TEST_MYSQL_URL } : env, bound_ms: STEP_MS };
    const { scripts } = JSON.parse(readFileSync(join(plugin, 'package.json'), 'utf8')) as Scripts;
    const linked = await runToEnd('sh', ['-c', scripts.prepare], options);
    t.match(linked, { exit: 0, stdout: `${join(plugin, 'node_modules/svc')} -> ${dist}\n` });
    const tested = await runToEnd('sh', ['-c', scripts.test], options);
    t.match(tested.stdout, /pass [12]\n/, tested.stdout + tested.stderr);
    const withTsc = { ...options, env: { ...env, PATH: `${env.PATH}:${join(clone, 'node_modules/.bin')}` } };
    const checked = await runToEnd('sh', ['-c', scripts.check], withTsc);
    t.match(checked, { exit: 0, stdout: '' });
    const built = await runToEnd('sh', ['-c', scripts.build], withTsc);
    t.equal(built.exit, 0, built.stdout + built.stderr);
    writeFileSync(
      join(plugin, 'wrong.ts'),
      "import { Database } from 'svc/plugin';\nexport const one: number = Database;\n",
    );
    const wrong = await runToEnd('sh', ['-c', scripts.check], withTsc);
    t.match(wrong, { exit: 2, stdout: /wrong\.ts\(2,14\): error TS2322: Type 'Token<Database>'/ });
    rmSync(join(plugin, 'wrong.ts'));
  }

  /** Verb, table, variable, command and route, each from another process than the server. */
  async function onServer(t: Test, name: string): Promise<void> {
    const own = { SVC_PLUGINS: name };
    const place = join(home, 'work', `server-${name.startsWith('/') ? 'source' : 'built'}`);
    mkdirSync(place);
    const here = (...args: string[]) => svc(args, own, place);
    const url = await started(t, own, place);
    t.match((await here('plugins')).stdout, /\d+\. fruit-tally 1\.0\.0/);
    t.match((await here('help', 'fruit-tally-count')).stdout, /usage: svc fruit-tally-count <name>/);
    t.match(await here('fruit-tally', 'show', 'apples'), { stdout: 'apples: 0\n', stderr: '' });
    const ran = await here('submit', '../count.sh', '--follow');
    t.equal(ran.exit, 0, ran.stderr);
    t.match(ran.stdout, /^1\nby 1\.0\.0$/m);
    const shown = await here('fruit-tally', 'show', 'apples');
    t.match(shown, { stdout: 'apples: 1\n', stderr: '' }, 'once, though it was replayed');
    const { token } = JSON.parse(readFileSync(join(place, '.svc/profile.json'), 'utf8')) as { token: string };
    const answer = await fetch(`${url}/api/v1/orgs/dev/projects/main/fruit-tally/apples`, {
      headers: { authorization: `Bearer ${token}` },
    });
    t.same(await answer.json(), { name: 'apples', counted: 1 });
  }

  /** `svc dev` in a folder, until the test ends; answers its address. */
  async function started(t: Test, more: Record<string, string>, cwd: string): Promise<string> {
    const dev = new Service('svc', ['dev', '--port', '0'], { cwd, env: { ...env, ...more } });
    t.teardown(() => dev.kill('SIGTERM'));
    const [, url = ''] = await dev.says(/svc dev is ready: (\S+)/, STEP_MS);
    return url;
  }
}

interface Scripts {
  scripts: { prepare: string; test: string; check: string; build: string };
}

/** Seconds, the least of several: other programs share the machine. */
function processorTime(command: string): number {
  const timed = `TIMEFORMAT='%U %S'; time ${command} >/dev/null`;
  const times = Array.from({ length: 5 }, () => {
    const { stderr } = spawnSync('bash', ['-c', timed], { cwd: home, env, encoding: 'utf8' });
    const [user, system] = stderr.trim().split(' ').map(Number);
    return user! + system!;
  });
  return Math.min(...times);
}

async function servesPages(t: Test, url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  const [, script] = /src="([^"]+\.js)"/.exec(page) ?? [];
  t.ok(script, page.slice(0, 300));
  const answer = await fetch(new URL(script ?? '/', url));
  t.match(answer.headers.get('content-type'), /javascript/);
  t.equal(answer.status, 200);
  const docs = await fetch(new URL('/docs/errors', url));
  t.match(await docs.text(), /id="not_found"/, 'the documentation, also for a client without Brotli');
}

/** Another svc where Node would look first. */
function decoy(plugin: string): void {
  const other = join(plugin, 'node_modules/svc');
  rmSync(other, { recursive: true });
  mkdirSync(other);
  const names = ['plugin', 'runs', 'scripts', 'cli', 'testing'];
  const exports = Object.fromEntries(names.map((name) => [`./${name}`, './other.js']));
  writeFileSync(join(other, 'package.json'), JSON.stringify({ name: 'svc', type: 'module', exports }));
  writeFileSync(join(other, 'other.js'), "throw new Error('this is another svc');\n");
  if (!existsSync(other)) throw new Error('no decoy');
}
