import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Message, Metafile, Plugin } from 'esbuild';
import { buildOnce, type Built, type Options } from './bundler.ts';
import { needsTranspiling, isNodeScript, isAvailableAtRuntime, mayHaveImports } from './needs.ts';
import { stabilizePaths } from './stable-paths.ts';
import { loadFilesPlugin } from './load-files.ts';
import {
  OutsideFault,
  PrivateFileError,
  defaultRoot,
  isPrivateFile,
  isWithin,
  type WorkflowRoot,
} from '../contract/workflow-root.ts';
import { bundleHeader } from '../domain/bundled.ts';

/** Maximum bytes of a document that the service accepts. */
const DOCUMENT_BYTES = 1024 * 1024;
const MAX_BUILD_ERRORS = 10;
const MAX_LISTED_PACKAGES = 3;
const BUNDLING_HINT = 'submit bundles a script and its imports into one file';

/** A script that cannot become one file. The message names the author's file and line; `next` tells what to do. */
export class BundleFault extends Error {
  readonly next: string;
  /** Set for an error that has its own code. */
  readonly code: 'include_outside' | undefined;

  constructor(message: string, next: string, code?: 'include_outside') {
    super(message);
    this.next = next;
    this.code = code;
  }
}

export interface ScriptFile {
  path: string;
  source: string;
  /** Set if packages are resolved where the script runs, because its variables name their location. */
  packages_elsewhere?: boolean;
  /** The folder in which imported files must be; the script's own folder by default. */
  root?: WorkflowRoot | undefined;
}

/**
 * Bundles a Node.js script and everything that it imports into one text, which is the same for the same files
 * wherever they are. A script without imports is returned unchanged. Throws `BundleFault`.
 */
export async function bundleScript({ path, source, packages_elsewhere, root }: ScriptFile): Promise<string> {
  const name = basename(path);
  if (!isNodeScript(name)) return source;
  const must_bundle = needsTranspiling(name, source);
  if (!must_bundle && !mayHaveImports(source)) return source;
  // Imports are relative to the file itself, not to a link to it.
  const folder = dirname(realpathSync(resolve(path)));
  const work = {
    folder,
    name,
    source,
    packages_elsewhere: packages_elsewhere === true,
    root: root ?? defaultRoot(folder),
  };
  const esm_build = await runBuild(work, 'esm', false);
  const entry_input = esm_build.metafile.inputs[name];
  if (!must_bundle && entry_input?.imports.every((one) => isExternalImport(one, work))) return source;
  // As in Node, a file without module syntax is CommonJS, where less is forbidden.
  const { build, format } =
    entry_input === undefined || entry_input.format === 'esm'
      ? toModule(esm_build)
      : await buildCommonJs(work, esm_build);
  const text = renderBundle(build, format, name);
  if (Buffer.byteLength(text) <= DOCUMENT_BYTES) return text;
  const small = await runBuild(work, format, true);
  const smaller = renderBundle(small, format, name);
  if (Buffer.byteLength(smaller) > DOCUMENT_BYTES) throw tooLarge(name, smaller, small.metafile);
  return smaller;
}

interface Work {
  folder: string;
  name: string;
  source: string;
  packages_elsewhere: boolean;
  root: WorkflowRoot;
}
type Format = 'esm' | 'cjs';
type Import = Metafile['inputs'][string]['imports'][number];

interface ScriptBundle {
  build: Built;
  format: Format;
}

const toModule = (whole: Built): ScriptBundle => ({ build: whole, format: 'esm' });

/** A module that is imported at run time may use top-level await, which only an ES module may have. */
async function buildCommonJs(work: Work, esm_build: Built): Promise<ScriptBundle> {
  try {
    return { build: await runBuild(work, 'cjs', false), format: 'cjs' };
  } catch (error) {
    if (!(error instanceof BundleFault) || esm_build.metafile.inputs[work.name]?.format === 'cjs') throw error;
    return toModule(esm_build);
  }
}

/** Imports of nothing but types count as external too; the bundler removes them, while Node would look for the file. */
const isExternalImport = ({ path, external }: Import, { packages_elsewhere }: Work): boolean =>
  external === true &&
  (isAvailableAtRuntime(path) || path === '<runtime>' || (packages_elsewhere && !path.startsWith('.')));

const FORMAT_DEFINES = {
  esm: { __dirname: 'svc_dirname', __filename: 'svc_filename' },
  cjs: {
    'import.meta.url': 'svc_url',
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
  },
} as const;

const buildOptions = ({ folder, packages_elsewhere }: Work, format: Format, small: boolean): Options => ({
  absWorkingDir: folder,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format,
  outfile: join(folder, 'svc.out'),
  write: false,
  metafile: true,
  logLevel: 'silent',
  logLimit: MAX_BUILD_ERRORS,
  charset: 'utf8',
  sourcemap: 'inline',
  minifyWhitespace: small,
  minifySyntax: small,
  packages: packages_elsewhere ? 'external' : 'bundle',
  // Code of packages may ask for its location, and in one file of the other format nothing defines these names.
  define: FORMAT_DEFINES[format],
  loader: { '.txt': 'text' },
});

async function runBuild(work: Work, format: Format, small: boolean): Promise<Built> {
  const { folder, name, source, root } = work;
  try {
    const options = buildOptions(work, format, small);
    const entry = { path: join(folder, name), source, loader: selectLoader(name) };
    // The plugin provides the name, because a `*` in it would be a pattern here.
    const entry_options = { entryPoints: ['script'], plugins: [entryPlugin(entry.path), loadFilesPlugin(root, entry)] };
    const result = await buildOnce({ ...options, ...entry_options });
    rejectNativeAddons(folder, result.metafile);
    return result;
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    throw toBundleError(
      name,
      error.errors.map((one) => withoutOutsideText(one, work)),
    );
  }
}

/**
 * Replaces an error in a file that the workflow must not read by the refusal of the file. The bundler itself reads the
 * settings that `extends` of a `tsconfig.json` names, and its errors quote them.
 */
function withoutOutsideText(message: Message, { folder, root }: Work): Message {
  const named = message.location?.file;
  if (named === undefined || message.detail instanceof OutsideFault) return message;
  const path = resolve(folder, named);
  const real = existsSync(path) ? realpathSync(path) : path;
  const is_private = isPrivateFile(root, real);
  if (!is_private && (isWithin(root.real, real) || real.includes(PACKAGES))) return message;
  const fault = is_private ? new PrivateFileError(named, real, root) : new OutsideFault(named, real, root);
  return { ...message, text: fault.message, location: null, detail: fault };
}

const PACKAGES = `${sep}node_modules${sep}`;

const isBuildFailure = (error: unknown): error is { errors: Message[] } =>
  error instanceof Error && Array.isArray((error as { errors?: unknown }).errors);

/** Provides the file that is submitted, leaves out what every agent has, and rejects native code. */
const entryPlugin = (file: string): Plugin => ({
  name: 'svc',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return { path: file };
      if (isAvailableAtRuntime(path)) return { path, external: true };
      if (path.endsWith('.node')) return { errors: [{ text: describeNativeAddon(path) }] };
      return undefined;
    });
  },
});

const selectLoader = (name: string): 'ts' | 'js' => (/\.m?ts$/i.test(name) ? 'ts' : 'js');

const describeNativeAddon = (what: string) =>
  `${what} is a native addon, which runs only on the machine that it was built for and cannot be submitted`;

/**
 * Rejects packages with native addons. They load them in ways that no bundler sees, but what builds an addon has this
 * file.
 */
function rejectNativeAddons(folder: string, { inputs }: Metafile): void {
  for (const [input, { imports }] of Object.entries(inputs)) {
    const native_package = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input);
    if (!native_package || imports === undefined || !existsSync(join(folder, native_package[1]!, 'binding.gyp')))
      continue;
    throw new BundleFault(describeNativeAddon(`the package ${native_package[2]}`), NATIVE_NEXT);
  }
}

const NATIVE_NEXT =
  'in a step, call a program that is installed on the agent and uses it, or use a package without native code';

function toBundleError(name: string, errors: readonly Message[]): BundleFault {
  const lines = errors.map(({ text, location }) =>
    location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : `${name}: ${text}`,
  );
  const [outside] = errors.map(({ detail }) => detail as unknown).filter((one) => one instanceof OutsideFault);
  if (outside) return new BundleFault(lines.join('\n'), outside.next, 'include_outside');
  const [first_text = ''] = errors.map(({ text }) => text);
  const missing = first_text.startsWith('Could not resolve');
  const next = missing
    ? `${BUNDLING_HINT}: paths are relative to the file that imports, and packages must be installed here (npm install)`
    : first_text.includes('native addon')
      ? NATIVE_NEXT
      : 'correct the line; `svc check` looks at the file without submitting it';
  return new BundleFault(lines.join('\n'), next);
}

/**
 * Returns the bundle. The agent reads the mark at its beginning: the format of the file, and its author's name for
 * it.
 */
function renderBundle({ outputFiles, metafile }: Built, format: Format, name: string): string {
  const [{ text } = { text: '' }] = outputFiles;
  const [, shebang = '', output = ''] = /^(#!.*\n)?([\s\S]*)$/.exec(text) ?? [];
  const inserted = `${bundleHeader(format, name)}${compatibilityPrelude(format, output)}`;
  return stabilizePaths({ shebang, inserted, output }, metafile);
}

/** Returns, in one line, what code of the other format expects to find, if any of it is used. */
function compatibilityPrelude(format: Format, text: string): string {
  if (format === 'cjs')
    return /\bsvc_url\b/.test(text) ? `const svc_url = require('node:url').pathToFileURL(__filename).href;\n` : '';
  const requires = /\b__require\b/.test(text);
  const places = /\bsvc_(?:dirname|filename)\b/.test(text);
  const lines = [
    requires
      ? `import { createRequire as svc_require } from 'node:module'; const require = svc_require(import.meta.url);`
      : '',
    places ? `const svc_dirname = import.meta.dirname, svc_filename = import.meta.filename;` : '',
  ].filter((line) => line !== '');
  return lines.length === 0 ? '' : `${lines.join(' ')}\n`;
}

function tooLarge(name: string, text: string, { outputs }: Metafile): BundleFault {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs))
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const source_name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? input;
      sizes.set(source_name, (sizes.get(source_name) ?? 0) + bytesInOutput);
    }
  const largest = [...sizes].sort(([, a], [, b]) => b - a).slice(0, MAX_LISTED_PACKAGES);
  const listed = largest.map(([part, bytes]) => `${part} ${Math.ceil(bytes / 1024)} KiB`).join(', ');
  return new BundleFault(
    `${name} is ${Buffer.byteLength(text)} bytes long, with everything that it imports; the limit is ${DOCUMENT_BYTES} (most: ${listed})`,
    'import less, or in a step, call a program that is installed on the agent',
  );
}
