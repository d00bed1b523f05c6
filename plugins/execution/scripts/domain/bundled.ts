import { sourceFileName } from './script-spec.ts';

/**
 * Matches the first line of a script that was bundled when it was submitted: its format and its author's name for it.
 */
const BUNDLE_HEADER = /^(?:#!.*\n)?\/\/ svc-bundle (esm|cjs) ([^\n]+)\n/;
const MAP = '//# sourceMappingURL=data:application/json;base64,';

/** Returns the first line of a bundle. A line break in a name would start code. */
export const bundleHeader = (format: 'esm' | 'cjs', name: string): string =>
  `// svc-bundle ${format} ${name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}%]/gu, encodeURIComponent)}\n`;

/** Decodes `%20` and the like. A text that somebody else wrote may be invalid. */
function decodeIfValid(encoded: unknown): unknown {
  try {
    return typeof encoded === 'string' ? decodeURIComponent(encoded) : encoded;
  } catch {
    return encoded;
  }
}

/** Returns how a bundle is run, or undefined for any other script. */
export function parseBundle(source: string): { ending: '.mjs' | '.cjs'; entry: string } | undefined {
  const [, format, entry = ''] = BUNDLE_HEADER.exec(source) ?? [];
  if (format === undefined) return undefined;
  return { ending: format === 'esm' ? '.mjs' : '.cjs', entry };
}

/**
 * Returns the name of the file that is run in the folder of a pass. A bundle is JavaScript, whatever its author
 * wrote.
 */
export function workFileName({ filename, source }: { filename?: string | undefined; source: string }): string {
  const bundle = parseBundle(source);
  return sourceFileName(bundle ? `${sourceFileName(filename)}${bundle.ending}` : filename);
}

interface BundleMap {
  sources: readonly string[];
  texts: readonly unknown[];
}

/** Returns the source map of a bundle; undefined if somebody wrote or changed the bundle by hand. */
function readMap(source: string): BundleMap | undefined {
  const at = source.lastIndexOf(MAP);
  if (at < 0) return undefined;
  try {
    const { sources, sourcesContent } = JSON.parse(
      Buffer.from(source.slice(at + MAP.length), 'base64').toString(),
    ) as Partial<Record<'sources' | 'sourcesContent', unknown>>;
    if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return undefined;
    return { sources: sources.map((path) => String(decodeIfValid(path))), texts: sourcesContent };
  } catch {
    return undefined;
  }
}

/**
 * Returns the files of a bundle that its author wrote, and the packages in it. The file that runs has no path. A bundle without
 * a map is its own file.
 */
export function bundledFiles(source: string): {
  files: { path: string | undefined; source: string }[];
  packages: string[];
} {
  const whole = { files: [{ path: undefined, source }], packages: [] };
  const bundle = parseBundle(source);
  const map = bundle && readMap(source);
  if (!bundle || !map) return whole;
  const entry = decodeIfValid(bundle.entry);
  const files: { path: string | undefined; source: string }[] = [];
  const packages = new Set<string>();
  for (const [at, path] of map.sources.entries()) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path) ?? [];
    const text = map.texts[at];
    if (name !== undefined) packages.add(name);
    else if (typeof text !== 'string') return whole;
    else files.push({ path: path === entry ? undefined : path, source: text });
  }
  return files.some(({ path }) => path === undefined) ? { files, packages: [...packages].sort() } : whole;
}

/**
 * Returns the file that the author wrote, for messages with its lines; a script that is no bundle is returned
 * unchanged.
 */
export function originalSource(source: string): string {
  const bundle = parseBundle(source);
  const map = bundle && readMap(source);
  if (!bundle || !map) return source;
  const entry = decodeIfValid(bundle.entry);
  const text = map.texts[map.sources.indexOf(String(entry))];
  // Its own lines are all that there is of a map that somebody wrote by hand.
  return typeof text === 'string' ? text : source;
}
