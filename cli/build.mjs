// Builds the package that is published, in dist/: JavaScript by tsc, the CLI as one bundled file, data as it is.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const home = resolve(import.meta.dirname, '..');
const dist = join(home, 'dist');
const TESTS = /\.test\.ts$|testsuite\.ts$|\/testing\/|test-server/;

function compile() {
  const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: home, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Everything that is no TypeScript: manifests, pages, native sources, launchers. */
function copyData() {
  const data = globSync('{kernel,plugins,cli,connectors}/**/*', { cwd: home, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    .filter((path) => !TESTS.test(path) && !path.includes('native/build/') && path !== 'cli/build.mjs');
  for (const path of [...data, 'README.md', 'CHANGELOG.md']) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(home, path), join(dist, path));
  }
  chmodSync(join(dist, 'cli/svc'), 0o755);
}

/** One file for all commands; the kernel stays outside of it, for only `dev`, `serve`, `agent` and `run` load it. */
async function bundle() {
  rmSync(join(dist, 'cli/commands'), { recursive: true, force: true });
  await build({
    entryPoints: [join(home, 'cli/run.ts')],
    outfile: join(dist, 'cli/run.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    allowOverwrite: true,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      {
        name: 'kernel-outside',
        setup: (setup) =>
          setup.onResolve({ filter: /kernel\/boot\/index\.ts$/ }, () => ({
            path: '../kernel/boot/index.js',
            external: true,
          })),
      },
    ],
  });
}

/** What a user of the package needs; the rest of package.json is for those who work on it. */
const PUBLISHED = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin', 'exports', 'dependencies'];

function writeManifest() {
  const whole = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const manifest = Object.fromEntries(PUBLISHED.map((name) => [name, whole[name]]));
  for (const [name, path] of Object.entries(whole.exports)) manifest.exports[name] = path.replace(/\.ts$/, '.js');
  manifest.scripts = { postinstall: whole.scripts.postinstall };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

rmSync(dist, { recursive: true, force: true });
compile();
copyData();
await bundle();
writeManifest();
