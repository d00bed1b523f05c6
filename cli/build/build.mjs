// Builds what is published in dist/: JavaScript by tsc, the CLI bundled, data files unchanged.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vite from 'vite';
import { buildPages } from '../../plugins/operations/console/build.mjs';
import { bundle, filesOf } from '../prebuilt/bundle.mjs';
import { buildSite } from '../../docs/site/build.ts';
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

/** Builds what a clone builds at its first start. The modules remain, for authors of plugins and their tests. */
async function buildPrebuilt() {
  for (const name of ['commands', 'kernel']) {
    const { code, map } = await bundle(name, { home: dist, ending: 'js' });
    const digest = createHash('sha256').update(code).digest('hex');
    for (const [file, contents] of filesOf(name, { code, map, digest }))
      writeFileSync(join(dist, 'cli', file), contents);
  }
  // The server reads a plugin's verbs too.
  for (const path of globSync('{cli/commands,plugins/*/*/cli}/*', { cwd: dist }))
    if (!basename(path).startsWith('verbs.')) rmSync(join(dist, path), { recursive: true, force: true });
}

const built = (path, from) => `${from}${path.slice(2).replace(/\.ts$/, '.js')}`;
const exportsFrom = ({ exports }, from) =>
  Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, built(path, from)]));

/**
 * The package.json of what is published. Of what is for development it has only how it is packed: when npm is ended before it
 * has put the clone's own back, the next `npm pack` begins with that.
 */
export function publishedManifest() {
  const whole = read('package.json');
  const { name, version, description, license, type, engines, dependencies, scripts } = whole;
  const { prepack, postpack } = scripts;
  return {
    ...{ name, version, description, license, type, engines },
    bin: { svc: 'dist/cli/svc' },
    exports: exportsFrom(whole, './dist/'),
    files: ['dist', 'npm-shrinkwrap.json', 'SECURITY.md'],
    // Never fails: where there is no compiler, the programs of Node serve. Where npm runs no script, the first use compiles.
    scripts: { postinstall: 'node dist/plugins/execution/scripts/native/build.mjs', prepack, postpack },
    dependencies,
  };
}

/** What only serves development. */
const isOfDevelopment = ({ dev, extraneous }) => dev === true || extraneous === true;

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
  const kept = Object.entries(packages)
    .filter(([path, one]) => path !== '' && !isOfDevelopment(one))
    .map(([path, { resolved: _resolved, ...one }]) => [path, one]);
  const missing = Object.keys(root.dependencies).filter(
    (one) => !kept.some(([path]) => path === `node_modules/${one}`),
  );
  if (missing.length > 0) throw new Error(`package-lock.json lacks ${missing.join(', ')}; run npm install`);
  return {
    ...{ name, version, lockfileVersion, requires: true },
    packages: { '': { ...root, hasInstallScript: true }, ...Object.fromEntries(kept) },
  };
}

/** By its own package.json, what is in dist/ finds `svc/plugin` and the others in dist/, and its version. */
function writeManifest() {
  const whole = read('package.json');
  const { name, version, type } = whole;
  writeFileSync(
    join(dist, 'package.json'),
    `${JSON.stringify({ name, version, type, exports: exportsFrom(whole, './') }, null, 2)}\n`,
  );
}

export async function build() {
  rmSync(dist, { recursive: true, force: true });
  compile();
  await buildPages(vite);
  await buildSite();
  copyData();
  writeManifest();
  await buildPrebuilt();
  prune(dist, publishedManifest());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
