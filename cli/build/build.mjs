// Builds what is published in dist/: bundles of the code and of its libraries, declarations by tsc, data files unchanged.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vite from 'vite';
import { buildPages } from '../../plugins/operations/console/build.mjs';
import { bundle, filesOf } from '../prebuilt/bundle.mjs';
import { buildSite } from '../../docs/site/build.ts';
import { fileOf } from '../prebuilt/entries.mjs';
import { bundleLibraries, checkLibraries, librariesInPackage, noticesOf } from './libraries.mjs';
import { bundleByPath, exportedFile, writeExports } from './modules.mjs';
import { prune } from './prune.mjs';

const home = resolve(import.meta.dirname, '../..');
const dist = join(home, 'dist');
const TESTS = /\.test\.ts$|testsuite\.ts$|\/testing\//;
/** tsc leaves such an ending as it is in what is exported by default, and there is no such file here. */
const UNBUILT = /\bimport\(['"]\.[^'"]*\.ts['"]\)/;
const read = (path) => JSON.parse(readFileSync(join(home, path), 'utf8'));

function compile() {
  // What it prints belongs to standard error: `npm pack` names the tarball on standard output.
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: home, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('tsc failed');
  const sources = globSync('**/*.js', { cwd: dist }).filter((path) =>
    UNBUILT.test(readFileSync(join(dist, path), 'utf8')),
  );
  if (sources.length > 0) throw new Error(`${sources.join(', ')}: import() of a source; move it out of export default`);
}

/** Everything that runs and is not TypeScript: manifests, schemas, pages, native sources, SDKs, launchers. */
function copyData() {
  const data = globSync('{kernel,plugins,cli,connectors}/**/*', { cwd: home, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(ts|md|txt|pyc)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !TESTS.test(path) && !/native\/build\/|^cli\/build\//.test(path))
    // Of the console's pages only what Vite made of them.
    .filter((path) => !/^plugins\/operations\/console\/(?:build\.mjs$|web\/(?!dist\/))/.test(path));
  // `svc plugin init` copies it.
  const starter = globSync('test/plugins/starter/**/*.*', { cwd: home });
  for (const path of [...data, ...starter]) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(home, path), join(dist, path));
  }
  chmodSync(join(dist, 'cli/svc'), 0o755);
}

/** Builds what a clone builds at its first start. Returns the modules in it, relative to the home. */
async function buildPrebuilt() {
  const modules = [];
  for (const name of ['commands', 'kernel']) {
    const { code, map, inputs, required } = await bundle(name, { home: dist, ending: 'js' });
    checkLibraries(required);
    const digest = createHash('sha256').update(code).digest('hex');
    for (const [file, contents] of filesOf(name, { code, map, digest }))
      writeFileSync(join(dist, 'cli', file), contents);
    modules.push(...inputs);
  }
  return modules.map(fromHome);
}

/** The path of an input of a bundle of dist/, relative to the home. */
const fromHome = (path) => join('dist', path);

const built = (path) => path.replace(/(?<!\.m)\.ts$/, '.js');
const isPrebuilt = (name) => fileOf(name, 'js') !== undefined;

/** The published names with the files in dist/ that were built from their sources. */
const sourcesOf = ({ exports }) => Object.entries(exports).map(([name, path]) => [name, built(path.slice(2))]);

/** What is published: a module that exports what a prebuilt file contains, with the declarations of its source. */
const exportsFrom = (manifest, from) =>
  Object.fromEntries(
    sourcesOf(manifest).map(([name, path]) => [
      name,
      isPrebuilt(name)
        ? { types: `${from}${path.replace(/\.js$/, '.d.ts')}`, default: `${from}${exportedFile(name)}` }
        : `${from}${path}`,
    ]),
  );

/** npm installs only what contains a program for one kind of machine. The package contains the other libraries. */
const dependenciesOf = ({ dependencies }) => ({ esbuild: dependencies.esbuild });

/**
 * The package.json of what is published. Of what is for development it has only how it is packed: when npm is ended before it
 * has put the clone's own back, the next `npm pack` begins with that.
 */
export function publishedManifest() {
  const whole = read('package.json');
  const { name, version, description, license, type, engines, scripts } = whole;
  const { prepack, postpack } = scripts;
  return {
    ...{ name, version, description, license, type, engines },
    bin: { svc: 'dist/cli/svc' },
    exports: exportsFrom(whole, './dist/'),
    files: ['dist', 'npm-shrinkwrap.json', 'SECURITY.md'],
    // Never fails: where there is no compiler, the programs of Node serve. Where npm runs no script, the first use compiles.
    scripts: { postinstall: 'node dist/plugins/execution/scripts/native/build.mjs', prepack, postpack },
    dependencies: dependenciesOf(whole),
  };
}

/** The paths in package-lock.json of packages and of all that they need. */
function withDependencies(packages, names) {
  const found = new Set();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const path = `node_modules/${name}`;
    if (packages[path] === undefined) throw new Error(`package-lock.json lacks ${name}; run npm install`);
    if (found.has(path)) continue;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    queue.push(...Object.keys({ ...dependencies, ...optionalDependencies }));
  }
  return found;
}

/**
 * The versions and digests that an installation gets: those of the clone, which its tests have run with. Without addresses, so that
 * each machine asks the registry that it knows.
 */
export function publishedShrinkwrap() {
  const { lockfileVersion, packages, name, version } = read('package-lock.json');
  const {
    files: _files,
    scripts: _scripts,
    exports: _exports,
    type: _type,
    description: _about,
    ...root
  } = publishedManifest();
  const needed = withDependencies(packages, Object.keys(root.dependencies));
  const kept = Object.entries(packages)
    .filter(([path]) => needed.has(path))
    .map(([path, { resolved: _resolved, ...one }]) => [path, one]);
  return {
    ...{ name, version, lockfileVersion, requires: true },
    packages: { '': { ...root, hasInstallScript: true }, ...Object.fromEntries(kept) },
  };
}

/** By its own package.json, what is in dist/ finds `svc/plugin` and the others in dist/, and its version. */
function writeManifest(exports) {
  const { name, version, type } = read('package.json');
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type, exports }, null, 2)}\n`);
}

export async function build() {
  const whole = read('package.json');
  const sources = sourcesOf(whole);
  rmSync(dist, { recursive: true, force: true });
  compile();
  await buildPages(vite);
  await buildSite();
  copyData();
  writeManifest(Object.fromEntries(sources.map(([name, path]) => [name, `./${path}`])));
  const inPrebuilt = await buildPrebuilt();
  const byPath = await bundleByPath(dist);
  const inLibraries = await bundleLibraries(home, dist);
  const notices = noticesOf(home, [...inPrebuilt, ...byPath.inputs.map(fromHome), ...inLibraries]);
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), notices);
  const prebuilt = sources.filter(([name]) => isPrebuilt(name));
  writeExports(
    dist,
    prebuilt.map(([name]) => name),
  );
  writeManifest(exportsFrom(whole, './'));
  prune(dist, {
    dependencies: new Set([...Object.keys(dependenciesOf(whole)), ...librariesInPackage]),
    modules: [
      ...prebuilt.map(([name]) => exportedFile(name)),
      ...sources.filter(([name]) => !isPrebuilt(name)).map(([, path]) => path),
    ],
    bundled: byPath.files,
    declarations: sources.map(([, path]) => path),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
