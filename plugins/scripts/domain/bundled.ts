import { sourceFileName } from './script-spec.ts';

/** The first line of a script that was bundled when it was submitted: what kind of file it is, and what its author wrote. */
const MARK = /^(?:#!.*\n)?\/\/ svc-bundle (esm|cjs) ([^\n]+)\n/;
const MAP = '//# sourceMappingURL=data:application/json;base64,';

/** The first line of a bundle. A line break in a name would be the beginning of code. */
export const bundleMark = (format: 'esm' | 'cjs', name: string): string =>
  `// svc-bundle ${format} ${name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}%]/gu, encodeURIComponent)}\n`;

/** Text with `%20` and the like as it was; of somebody else's making it may be no such text. */
function plain(encoded: unknown): unknown {
  try {
    return typeof encoded === 'string' ? decodeURIComponent(encoded) : encoded;
  } catch {
    return encoded;
  }
}

/** What a bundle is run as; undefined for any other script. */
export function bundleOf(source: string): { ending: '.mjs' | '.cjs'; entry: string } | undefined {
  const [, format, entry = ''] = MARK.exec(source) ?? [];
  if (format === undefined) return undefined;
  return { ending: format === 'esm' ? '.mjs' : '.cjs', entry };
}

/** The name of the file that is run, in the folder of a pass. A bundle is JavaScript, whatever its author wrote. */
export function workFileName({ filename, source }: { filename?: string | undefined; source: string }): string {
  const bundle = bundleOf(source);
  return sourceFileName(bundle ? `${sourceFileName(filename)}${bundle.ending}` : filename);
}

/** The file that the author wrote, for messages with its lines; a script that is no bundle as it is. */
export function writtenSource(source: string): string {
  const bundle = bundleOf(source);
  const at = bundle ? source.lastIndexOf(MAP) : -1;
  if (!bundle || at < 0) return source;
  try {
    const map = JSON.parse(Buffer.from(source.slice(at + MAP.length), 'base64').toString()) as {
      sources?: unknown[];
      sourcesContent?: unknown[];
    };
    // A map names its files as parts of an address.
    const entry = plain(bundle.entry);
    const text = map.sourcesContent?.[map.sources?.findIndex((path) => plain(path) === entry) ?? -1];
    return typeof text === 'string' ? text : source;
  } catch {
    // Somebody has made it by hand: then its own lines are all that there is.
    return source;
  }
}
