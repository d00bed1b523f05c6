import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Message, Metafile, Plugin } from 'esbuild';
import { buildOnce, type Built, type Options } from './bundler.ts';
import { hasMoreThanTypes, isOfNode, isThere, mayImport } from './needs.ts';
import { toBeKept } from './kept-paths.ts';
import { ownFiles } from './own-files.ts';
import { OutsideFault, ownRoot, type WorkflowRoot } from '../contract/workflow-root.ts';
import { bundleMark } from '../domain/bundled.ts';

/** What the service takes of a document. */
const DOCUMENT_BYTES = 1024 * 1024;
const MAX_FAULTS = 10;
const SHOWN_PACKAGES = 3;
const BUNDLED_BY = 'a script and what it imports become one file when it is submitted';

/** A script that cannot become one file. The message names the author's file and line; `next` says what to do. */
export class BundleFault extends Error {
  readonly next: string;
  /** Of a refusal that has a code of its own. */
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
  /** Packages are looked for where the script runs, because its variables say where. */
  packages_elsewhere?: boolean;
  /** Where what it imports may lie; its own folder by default. */
  root?: WorkflowRoot | undefined;
}

/**
 * A script of Node.js and all that it imports as one text; the same text for the same files, wherever they lie. A script
 * that needs nothing else is answered as it is. Throws `BundleFault`.
 */
export async function bundleScript({ path, source, packages_elsewhere, root }: ScriptFile): Promise<string> {
  const name = basename(path);
  if (!isOfNode(name)) return source;
  const must = hasMoreThanTypes(name, source);
  if (!must && !mayImport(source)) return source;
  // Imports are relative to the file itself, and not to a link to it.
  const folder = dirname(realpathSync(resolve(path)));
  const work = { folder, name, source, packages_elsewhere: packages_elsewhere === true, root: root ?? ownRoot(folder) };
  const first = await built(work, 'esm', false);
  const own = first.metafile.inputs[name];
  if (!must && own?.imports.every((one) => staysOutside(one, work))) return source;
  // As Node has it: what has no syntax of modules is CommonJS, where less is forbidden.
  const { whole, format } = own === undefined || own.format === 'esm' ? asModule(first) : await asCommonJs(work, first);
  const text = textOf(whole, format, name);
  if (Buffer.byteLength(text) <= DOCUMENT_BYTES) return text;
  const small = await built(work, format, true);
  const smaller = textOf(small, format, name);
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

interface Whole {
  whole: Built;
  format: Format;
}

const asModule = (whole: Built): Whole => ({ whole, format: 'esm' });

/** What it imports while it runs may await at its top, which only a module may have. */
async function asCommonJs(work: Work, first: Built): Promise<Whole> {
  try {
    return { whole: await built(work, 'cjs', false), format: 'cjs' };
  } catch (error) {
    if (!(error instanceof BundleFault) || first.metafile.inputs[work.name]?.format === 'cjs') throw error;
    return asModule(first);
  }
}

/** An import of nothing but types is noted as outside too; the bundler takes it away, and Node would look for the file. */
const staysOutside = ({ path, external }: Import, { packages_elsewhere }: Work): boolean =>
  external === true && (isThere(path) || path === '<runtime>' || (packages_elsewhere && !path.startsWith('.')));

const PLACES = {
  esm: { __dirname: 'svc_dirname', __filename: 'svc_filename' },
  cjs: {
    'import.meta.url': 'svc_url',
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
  },
} as const;

const optionsOf = ({ folder, packages_elsewhere }: Work, format: Format, small: boolean): Options => ({
  absWorkingDir: folder,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format,
  outfile: join(folder, 'svc.out'),
  write: false,
  metafile: true,
  logLevel: 'silent',
  logLimit: MAX_FAULTS,
  charset: 'utf8',
  sourcemap: 'inline',
  minifyWhitespace: small,
  minifySyntax: small,
  packages: packages_elsewhere ? 'external' : 'bundle',
  // Code of packages may ask for its place; in one file of the other kind nothing answers to these names.
  define: PLACES[format],
  loader: { '.txt': 'text' },
});

async function built(work: Work, format: Format, small: boolean): Promise<Built> {
  const { folder, name, source, root } = work;
  try {
    const options = optionsOf(work, format, small);
    const entry = { path: join(folder, name), source, loader: loaderOf(name) };
    // The plugin gives the name: here a `*` in it would be a pattern.
    const more = { entryPoints: ['script'], plugins: [entryAsGiven(entry.path), ownFiles(root, entry)] };
    const result = await buildOnce({ ...options, ...more });
    refuseNative(folder, result.metafile);
    return result;
  } catch (error) {
    if (!hasFaults(error)) throw error;
    throw faultOf(name, error.errors);
  }
}

const hasFaults = (error: unknown): error is { errors: Message[] } =>
  error instanceof Error && Array.isArray((error as { errors?: unknown }).errors);

/** The file that is submitted; what every agent has is left out, and native code refused. */
const entryAsGiven = (file: string): Plugin => ({
  name: 'svc',
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return { path: file };
      if (isThere(path)) return { path, external: true };
      if (path.endsWith('.node')) return { errors: [{ text: native(path) }] };
      return undefined;
    });
  },
});

const loaderOf = (name: string): 'ts' | 'js' => (/\.m?ts$/i.test(name) ? 'ts' : 'js');

const native = (what: string) =>
  `${what} is a native addon, which runs only on the machine that it was built for and cannot be submitted`;

/** Packages load their addons in ways that no bundler sees; what builds one has this file. */
function refuseNative(folder: string, { inputs }: Metafile): void {
  for (const [input, { imports }] of Object.entries(inputs)) {
    const found = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(input);
    if (!found || imports === undefined || !existsSync(join(folder, found[1]!, 'binding.gyp'))) continue;
    throw new BundleFault(native(`the package ${found[2]}`), NATIVE_NEXT);
  }
}

const NATIVE_NEXT =
  'call it in a step from a program that is installed on the agent, or use a package without native code';

function faultOf(name: string, faults: readonly Message[]): BundleFault {
  const lines = faults.map(({ text, location }) =>
    location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : `${name}: ${text}`,
  );
  const [outside] = faults.map(({ detail }) => detail as unknown).filter((one) => one instanceof OutsideFault);
  if (outside) return new BundleFault(lines.join('\n'), outside.next, 'include_outside');
  const [first = ''] = faults.map(({ text }) => text);
  const missing = first.startsWith('Could not resolve');
  const next = missing
    ? `${BUNDLED_BY}: paths are relative to the file that imports, and packages must be installed here (npm install)`
    : first.includes('native addon')
      ? NATIVE_NEXT
      : 'correct the line; `svc check` looks at the file without submitting it';
  return new BundleFault(lines.join('\n'), next);
}

/** The agent reads the mark at its beginning: which kind of file it is, and what its author called it. */
function textOf({ outputFiles, metafile }: Built, format: Format, name: string): string {
  const [{ text } = { text: '' }] = outputFiles;
  const [, first = '', rest = ''] = /^(#!.*\n)?([\s\S]*)$/.exec(text) ?? [];
  const inserted = `${bundleMark(format, name)}${help(format, rest)}`;
  return toBeKept({ first, inserted, rest }, metafile);
}

/** What code of the other kind expects to find, in one line, where some of it is used. */
function help(format: Format, text: string): string {
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
      const part = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? input;
      sizes.set(part, (sizes.get(part) ?? 0) + bytesInOutput);
    }
  const most = [...sizes].sort(([, a], [, b]) => b - a).slice(0, SHOWN_PACKAGES);
  const shown = most.map(([part, bytes]) => `${part} ${Math.ceil(bytes / 1024)} KiB`).join(', ');
  return new BundleFault(
    `${name} has ${Buffer.byteLength(text)} bytes with all that it imports; the limit is ${DOCUMENT_BYTES} (most: ${shown})`,
    'import less, or call a program that is installed on the agent in a step',
  );
}
