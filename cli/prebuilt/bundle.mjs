// Bundles many modules into one file with esbuild: in a clone when its sources have changed, and for the package when it is built.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { builtIn, entries, parameters } from './entries.mjs';
import { chunkStarts, encodeTable, tableOf } from './positions.mjs';

/** Loaded from node_modules when they are needed: programs, native modules, and libraries that few processes use. */
export const EXTERNAL = [
  '@nats-io/transport-node',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  'dtrace-provider',
  'esbuild',
  'jq-wasm',
  'mysql2',
  'pg-hstore',
  'umzug',
  'undici',
];

/**
 * Modules that the entries of libraries load and that svc does not use: Sequelize gets all times in UTC, and metrics are neither
 * pushed nor collected from a cluster. The first takes 0.7 MB, the others load TLS.
 */
const UNUSED = {
  'moment-timezone/data/packed/latest.json': '{"version":"","zones":[],"links":[],"countries":[]}',
  'prom-client/lib/pushgateway.js': 'module.exports = class {};',
  'prom-client/lib/cluster.js': 'module.exports = class {};',
};

const UNUSED_FILES = new RegExp(`/node_modules/(${Object.keys(UNUSED).map(RegExp.escape).join('|')})$`);

/**
 * meow contains what normalizes a package.json, with the list of all licences, and evaluates it at once: a fifth of the time of
 * a command. svc has no use for it, so it is evaluated if it is called.
 */
const NORMALIZER = /\/node_modules\/meow\/build\/dependencies\.js$/;
const EVALUATED_AT_ONCE = `var normalizeExports = requireNormalize();
const normalizePackageData = getDefaultExportFromCjs(normalizeExports);`;
const EVALUATED_LATER =
  'const normalizePackageData = (...given) => getDefaultExportFromCjs(requireNormalize())(...given);';

function withLaterNormalizer(text) {
  if (!text.includes(EVALUATED_AT_ONCE))
    throw new Error('meow has changed: adapt how cli/prebuilt/bundle.mjs delays what normalizes a package.json');
  return text.replace(EVALUATED_AT_ONCE, EVALUATED_LATER);
}

/** A module in the folder of its caller that is required when it is first needed. */
const LATER = /createRequire\(import\.meta\.url\)\(`(\.\/[\w-]+)\$\{ENDING\}`\)/g;

/** The import of a module by an address that is known only at run time. tsc wraps the address to replace its extension. */
const BY_ADDRESS = /\bimport\((?=(?:__rewriteRelativeImportExtension\()?pathToFileURL\()/g;

/** What `import.meta` stands for. Libraries get the one among `parameters`, and each module of svc that uses it declares its own. */
const META = 'svc_module';

/**
 * The code of a module that uses `import.meta` or loads other modules by their addresses. Its `import.meta` is that of its source. The
 * declaration shares the first line, so that lines keep their numbers.
 */
function withSourceMeta(text, path, ending) {
  const parts = [
    `url: svc_home_url + ${JSON.stringify(`/${path}`)}`,
    `dirname: svc_home + ${JSON.stringify(`/${dirname(path)}`)}`,
    `filename: svc_home + ${JSON.stringify(`/${path}`)}`,
  ];
  const code = text
    .replace(LATER, (_, module) => `require('${module}.${ending}')`)
    .replace(BY_ADDRESS, 'svc_runtime.load(');
  return /\bimport\.meta\b/.test(code) ? `const ${META} = { ${parts.join(', ')} }; ${code}` : code;
}

const USES_ITS_ADDRESS = new RegExp(`\\bimport\\.meta\\b|${BY_ADDRESS.source}`);

/** Modules that use `import.meta` or load others by address. esbuild itself reads all others. */
const modulesWithAddress = (home, ending) =>
  globSync(`{kernel,plugins,cli}/**/*.{${ending},mjs}`, { cwd: home })
    .filter((path) => !/\.test\.|testsuite\.|\.d\.m?ts$|(^|\/)(node_modules|web|build|prebuilt)\//.test(path))
    .filter((path) => USES_ITS_ADDRESS.test(readFileSync(join(home, path), 'utf8')));

export const isExternal = (path) => EXTERNAL.some((name) => path === name || path.startsWith(`${name}/`));

const exactly = (paths) => new RegExp(`^(${paths.map((path) => RegExp.escape(path)).join('|')})$`);

function svcPlugin({ home, ending }) {
  const built_in = join(home, `cli/built-in.${ending}`);
  const with_address = modulesWithAddress(home, ending).map((path) => join(home, path));
  const loaderOf = (path) => (path.endsWith('.ts') ? 'ts' : 'js');
  return {
    name: 'svc',
    setup(build) {
      // The instance of the process decides which kernel it loads.
      build.onResolve({ filter: /prebuilt\/prebuilt\.mjs$/ }, () => ({ path: 'runtime', namespace: 'svc' }));
      build.onLoad({ filter: /.*/, namespace: 'svc' }, () => ({ contents: 'module.exports = svc_runtime' }));
      build.onLoad({ filter: UNUSED_FILES }, ({ path }) => {
        const name = Object.keys(UNUSED).find((one) => path.endsWith(`/node_modules/${one}`));
        return { contents: UNUSED[name], loader: path.endsWith('.json') ? 'json' : 'js' };
      });
      build.onLoad({ filter: NORMALIZER }, ({ path }) => ({
        contents: withLaterNormalizer(readFileSync(path, 'utf8')),
        loader: 'js',
      }));
      // An external import would be evaluated with the file. As a module that requires it, it is evaluated with its importer.
      build.onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) =>
        kind === 'import-statement' && isExternal(path) ? { path, namespace: 'later' } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
        contents: `module.exports = require('${path}')`,
        resolveDir: home,
      }));
      build.onLoad({ filter: exactly([...new Set([...with_address, built_in])]) }, ({ path }) =>
        path === built_in
          ? { contents: builtIn(home, ending), resolveDir: home, loader: loaderOf(path) }
          : {
              contents: withSourceMeta(readFileSync(path, 'utf8'), relative(home, path), ending),
              loader: loaderOf(path),
            },
      );
    },
  };
}

/**
 * Returns the code of `kernel` or `commands`, the paths of everything that determines it, relative to the home, and the names of
 * the modules that it requires when it runs.
 * The code is a function of `parameters`. Throws the errors of esbuild.
 */
export async function bundle(name, { home, ending }) {
  const entry = entries[name](home, ending);
  const { outputFiles, metafile } = await build({
    stdin: { contents: entry, resolveDir: home, sourcefile: 'entry', loader: ending === 'ts' ? 'ts' : 'js' },
    absWorkingDir: home,
    outfile: join(home, `${name}.js`),
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    // Code that `vm` compiles has no `import()`: packages are required, and outside plugins are loaded by the runtime.
    supported: { 'dynamic-import': false },
    // An import that is used only for types has no code.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    define: { 'import.meta': META },
    legalComments: 'none',
    minifyWhitespace: true,
    // Node prints the line of an exception that is not caught.
    lineLimit: 160,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    external: EXTERNAL,
    logLevel: 'silent',
    // Modules of ECMAScript are strict: without the directive, `this` of a method of a text would be an object, for example.
    banner: { js: `(function (${parameters.join(', ')}) { 'use strict';` },
    footer: { js: '})' },
    plugins: [svcPlugin({ home, ending })],
  });
  const [map, code] = ['.map', '.js'].map((suffix) => outputFiles.find(({ path }) => path.endsWith(suffix)));
  const { text, widened } = toAscii(code.text);
  const required = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map((one) => one.path),
  );
  return {
    ...{ entry, required, inputs: inputsOf(metafile, home) },
    ...{ code: text, map: { ...JSON.parse(map.text), widened } },
  };
}

/**
 * The files of a bundle by their names, in the order in which they are written. The code ends with the digest too, because another
 * start may replace it between two reads.
 */
export function filesOf(name, { code, map, digest }) {
  const table = tableOf(map);
  return [
    [`${name}.positions`, encodeTable(table)],
    [`${name}.sources.json`, JSON.stringify({ digest, sources: map.sources, starts: chunkStarts(table) })],
    [`${name}.js`, `${code}//${digest}`],
  ];
}

/**
 * V8 stores an ASCII text in half the memory and reads it without decoding. esbuild leaves other characters only in regular
 * expressions, which have the same escapes. `widened` has, by line, the columns where one character became six.
 */
function toAscii(code) {
  const widened = new Map();
  const text = code
    .split('\n')
    .map((line, number) =>
      line.replace(/[^\0-\x7f]/g, (character, column) => {
        widened.set(number, [...(widened.get(number) ?? []), column]);
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
      }),
    )
    .join('\n');
  return { text, widened };
}

/** The modules, and the manifests that determine how they are resolved. */
function inputsOf({ inputs }, home) {
  const modules = Object.keys(inputs).filter((path) => existsSync(join(home, path)));
  const manifests = new Set(['package.json', 'node_modules/.package-lock.json']);
  for (const path of modules)
    for (let folder = dirname(path); /node_modules\/./.test(folder); folder = dirname(folder))
      manifests.add(`${folder}/package.json`);
  const own = ['build', 'bundle', 'entries', 'listing', 'positions', 'replace-file'].map(
    (file) => `cli/prebuilt/${file}.mjs`,
  );
  return [...new Set([...own, ...modules, ...[...manifests].filter((path) => existsSync(join(home, path)))])].sort();
}
