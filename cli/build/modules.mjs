// Replaces the modules in dist/ that are loaded by their paths, so that no module is needed that the prebuilt files contain.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

/** A module that a worker thread loads by its address. */
const IN_A_WORKER = /siblingModule\(import\.meta\.url, '(\.\/[\w/-]+)'\)/g;
/** A program that svc starts in a process of its own, and that uses a library. */
const PROGRAMS = ['plugins/execution/scripts/lint/javascript-tree.mjs'];

/** The modules that worker threads load, found by where they are named. */
export function workerModules(dist) {
  const found = globSync('{kernel,plugins}/**/*.js', { cwd: dist }).flatMap((path) =>
    [...readFileSync(join(dist, path), 'utf8').matchAll(IN_A_WORKER)].map(
      ([, module]) => `${join(dirname(path), module)}.js`,
    ),
  );
  return [...new Set(found)].sort();
}

/**
 * Bundles what worker threads and programs load, with their libraries and with what they share in files of its own: a thread
 * and the task that it loads have the same modules. Returns the files that it wrote, and the inputs relative to dist.
 */
export async function bundleByPath(dist) {
  const { outputFiles, metafile } = await build({
    entryPoints: [...workerModules(dist), ...PROGRAMS],
    absWorkingDir: dist,
    outdir: dist,
    outbase: dist,
    outExtension: { '.js': '.js' },
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: 'cli/shared/[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    minifyWhitespace: true,
    metafile: true,
    // Libraries in CommonJS require modules of Node.
    banner: {
      js: "import { createRequire as svc_require } from 'node:module'; const require = svc_require(import.meta.url);",
    },
    logLevel: 'error',
  });
  const files = outputFiles.map(({ path, contents }) => {
    const name = path.slice(dist.length + 1);
    // esbuild names a program like its other outputs.
    return { name: PROGRAMS.find((one) => one.replace(/\.mjs$/, '.js') === name) ?? name, contents };
  });
  for (const { name, contents } of files) {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), contents);
  }
  return { files: files.map(({ name }) => name), inputs: Object.keys(metafile.inputs) };
}

/** Where the module of a published name is: `svc/runs` in exports/runs.js. */
export const exportedFile = (name) => `exports/${name.slice(2)}.js`;

/**
 * A module for each published name that the prebuilt files contain. It exports what they have, so that a plugin and its tests
 * share the instances of the server.
 */
export function writeExports(dist, names) {
  const runtime = join(dist, 'cli/prebuilt/prebuilt.mjs');
  const list = `import { publishedBy } from ${JSON.stringify(runtime)};
    const names = ${JSON.stringify(names)}.map((name) => [name, Object.keys(publishedBy('svc/' + name.slice(2)))]);
    process.stdout.write(JSON.stringify(names), () => process.exit(0));`;
  const listed = spawnSync(process.execPath, ['--input-type=module', '--eval', list], { encoding: 'utf8' });
  if (listed.status !== 0) throw new Error(`the published modules cannot be loaded: ${listed.stderr}`);
  for (const [name, members] of JSON.parse(listed.stdout)) {
    const file = join(dist, exportedFile(name));
    const exported = members.filter((member) => member !== '__esModule' && member !== 'default');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `import { publishedBy } from '../cli/prebuilt/prebuilt.mjs';
export const { ${exported.join(', ')} } = publishedBy('svc/${name.slice(2)}');
`,
    );
  }
}
