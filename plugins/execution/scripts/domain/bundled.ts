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

/**
 * Returns the file that the author wrote, for messages with its lines; a script that is no bundle is returned
 * unchanged.
 */
export function originalSource(source: string): string {
  const bundle = parseBundle(source);
  const at = bundle ? source.lastIndexOf(MAP) : -1;
  if (!bundle || at < 0) return source;
  try {
    const map = JSON.parse(Buffer.from(source.slice(at + MAP.length), 'base64').toString()) as {
      sources?: unknown[];
      sourcesContent?: unknown[];
    };
    // A source map names its files as parts of a URL.
    const entry = decodeIfValid(bundle.entry);
    const text = map.sourcesContent?.[map.sources?.findIndex((path) => decodeIfValid(path) === entry) ?? -1];
    return typeof text === 'string' ? text : source;
  } catch {
    // Somebody wrote it by hand, so its own lines are all that there is.
    return source;
  }
}
