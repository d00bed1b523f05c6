// Puts the libraries that the prebuilt files load when they need them into dist/node_modules, each as one file. npm takes
// longer for the number of files of an installation than for their size, and these libraries have ten thousand files.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { EXTERNAL, isExternal } from '../prebuilt/bundle.mjs';

/** npm installs it, because it contains a program for one kind of machine. */
const INSTALLED = new Set(['esbuild']);
/** Libraries try to load them and work without: a native module for tracing, and a driver of another database. */
const OPTIONAL = new Set(['dtrace-provider', 'pg-hstore', 'bufferutil', 'utf-8-validate']);

/** Libraries that share modules, and classes whose instances one passes to the other, are in one file. */
const groupOf = (name) => (name.startsWith('@opentelemetry/') ? 'opentelemetry' : name);

/** Files that a library reads from its own folder. */
const DATA = { 'jq-wasm': ['dist/build/jq.wasm'] };

/** Other names under which svc loads a library. */
const SUBPATHS = { mysql2: ['promise'] };

/** The names of the packages that an installation has without npm. */
export const librariesInPackage = EXTERNAL.filter((name) => !INSTALLED.has(name) && !OPTIONAL.has(name));
const specifiersOf = (name) => [name, ...(SUBPATHS[name] ?? []).map((path) => `${name}/${path}`)];

/** Throws if a prebuilt file requires a library, or a part of one, that an installation does not have. */
export function checkLibraries(required) {
  const known = new Set([...librariesInPackage.flatMap(specifiersOf), ...INSTALLED, ...OPTIONAL]);
  const missing = required.filter((name) => isExternal(name) && !known.has(name));
  if (missing.length > 0) throw new Error(`add ${missing.join(', ')} to the libraries in cli/build/libraries.mjs`);
}

/** Writes the libraries and returns the paths of the modules in them, relative to the home. */
export async function bundleLibraries(home, dist) {
  const inputs = [];
  for (const [group, names] of Map.groupBy(librariesInPackage, groupOf)) {
    const { metafile, file } = await bundleGroup(home, dist, group, names);
    inputs.push(...Object.keys(metafile.inputs));
    for (const name of names) writeLibrary(home, dist, name, file);
  }
  return inputs;
}

async function bundleGroup(home, dist, group, names) {
  const file = `node_modules/.svc/${group.replace('/', '-')}/index.cjs`;
  const loaders = names
    .flatMap(specifiersOf)
    .map((specifier) => `exports[${JSON.stringify(specifier)}] = () => require(${JSON.stringify(specifier)});`);
  const { metafile } = await build({
    stdin: { contents: loaders.join('\n'), resolveDir: home, sourcefile: group },
    absWorkingDir: home,
    outfile: join(dist, file),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    legalComments: 'none',
    minifyWhitespace: true,
    metafile: true,
    external: [...INSTALLED, ...OPTIONAL],
    logLevel: 'error',
  });
  return { metafile, file };
}

/** A package that Node finds by its name. Its modules are evaluated when the first of them is loaded. */
function writeLibrary(home, dist, name, file) {
  const folder = join(dist, 'node_modules', name);
  const source = join(home, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  const { version, license } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const exports = {};
  const up = '../'.repeat(name.split('/').length);
  for (const specifier of specifiersOf(name)) {
    const path = specifier === name ? 'index' : specifier.slice(name.length + 1);
    exports[specifier === name ? '.' : `./${path}`] = `./${path}.cjs`;
    const code = `module.exports = require('${up}${file.slice('node_modules/'.length)}')[${JSON.stringify(specifier)}]();\n`;
    writeFileSync(join(folder, `${path}.cjs`), code);
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, license, exports })}\n`);
  // Libraries look for their data beside the file that contains them.
  for (const path of DATA[name] ?? []) {
    const target = join(dist, dirname(file), path.slice(path.indexOf('/') + 1));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(source, path), target);
  }
}

const LICENSE = /^(licen[cs]e|copying|notice)/i;

/** The licences of the libraries whose modules are among the inputs, as they require, in one text. */
export function noticesOf(home, inputs) {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder && existsSync(join(home, folder))));
  const sorted = [...folders].sort((a, b) => (a < b ? -1 : 1));
  const notices = sorted.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(home, folder, 'package.json'), 'utf8'));
    const texts = readdirSync(join(home, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && LICENSE.test(entry.name))
      .map((entry) => readFileSync(join(home, folder, entry.name), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...new Set(texts)].join('\n\n');
  });
  return `This package contains the following libraries.\n\n${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** The folder of the package that a module belongs to, relative to the home. */
const packageFolder = (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
