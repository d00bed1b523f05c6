// Builds the published package in dist/: JavaScript by tsc, the CLI as one bundled file, data files unchanged.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import * as vite from 'vite';
import { buildPages } from '../plugins/console/build.mjs';

const home = resolve(import.meta.dirname, '..');
const dist = join(home, 'dist');
const TESTS = /\.test\.ts$|testsuite\.ts$|\/testing\//;

function compile() {
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: home, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Everything that is not TypeScript: manifests, pages, native sources, launchers. */
function copyData() {
  const data = globSync('{kernel,plugins,cli,connectors}/**/*', { cwd: home, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !TESTS.test(path) && !path.includes('native/build/') && path !== 'cli/build.mjs')
    // Of the console's pages only what Vite made of them.
    .filter((path) => !/^plugins\/console\/(?:build\.mjs$|web\/(?!dist\/))/.test(path));
  const pages = globSync('docs/{*.md,images/*.png}', { cwd: home });
  for (const path of [...data, ...pages, 'README.md', 'CHANGELOG.md']) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(home, path), join(dist, path));
  }
  chmodSync(join(dist, 'cli/svc'), 0o755);
}

/** Replaces cli/built-in.ts in the bundle: a fixed list of the plugins' tables and verbs instead of a search. */
function builtIn() {
  const sources = (file) =>
    globSync(`plugins/*/cli/${file}.ts`, { cwd: home })
      .sort()
      .map((path) => `{ origin: '${dirname(dirname(path))}', load: () => import('./${path}') }`);
  return `const sources = { table: [${sources('table')}], verbs: [${sources('verbs')}] };
export const builtIn = async (file) => sources[file];`;
}

/**
 * One file for all commands. The kernel stays outside of it, because only `dev`, `serve`, `agent` and `run` load it.
 */
async function bundle() {
  // The server reads a plugin's verbs too.
  for (const path of globSync('{cli/commands,plugins/*/cli}/*', { cwd: dist }))
    if (!basename(path).startsWith('verbs.')) rmSync(join(dist, path), { recursive: true, force: true });
  await build({
    entryPoints: [join(home, 'cli/run.ts')],
    outfile: join(dist, 'cli/run.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    allowOverwrite: true,
    // Its program is a file of its own, and only scripts of several files need it.
    external: ['esbuild'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      {
        name: 'svc',
        setup: (setup) => {
          setup.onResolve({ filter: /kernel\/boot\/index\.ts$/ }, () => ({
            path: '../kernel/boot/index.js',
            external: true,
          }));
          setup.onLoad({ filter: /cli\/built-in\.ts$/ }, () => ({ contents: builtIn(), resolveDir: home }));
        },
      },
    ],
  });
}

/** The members that users of the package need; the rest of package.json is for development. */
const PUBLISHED = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'exports', 'dependencies'];

function writeManifest() {
  const whole = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const manifest = Object.fromEntries(PUBLISHED.map((name) => [name, whole[name]]));
  for (const [name, path] of Object.entries(whole.exports)) manifest.exports[name] = path.replace(/\.ts$/, '.js');
  // The console is built already.
  manifest.scripts = { postinstall: 'node plugins/scripts/native/build.mjs' };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

rmSync(dist, { recursive: true, force: true });
compile();
await buildPages(vite);
copyData();
await bundle();
writeManifest();
