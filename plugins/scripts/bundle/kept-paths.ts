import type { Metafile } from 'esbuild';

const PACKAGES = 'node_modules/';
const MAP = '//# sourceMappingURL=data:application/json;base64,';

interface SourceMap {
  version: number;
  sources: string[];
  sourcesContent?: (string | null)[];
  mappings: string;
  names: string[];
}

/** A map names its files as parts of an address. */
function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A package lies in another place on every machine. */
function keptName(path: string): string {
  const at = path.lastIndexOf(PACKAGES);
  return at < 0 ? path : path.slice(at);
}

/** As a bundler notes a path: a comment, and the name of a module of CommonJS. */
const NOTED = /(^[ \t]*(?:\/\/ |")|\{")([^"\n]+)(?=$|"\()/gm;

interface Parts {
  /** The line of the interpreter, or nothing. */
  first: string;
  /** Lines that the bundler does not know of. */
  inserted: string;
  /** What it has made, with its map. */
  rest: string;
}

/**
 * A bundle with names of files that are the same on every machine. Its map has the text of the author's own files, and of
 * packages only the places. A file that only a map names has no text either: the bundler reads it from wherever the map says.
 */
export function toBeKept({ first, inserted, rest }: Parts, { inputs }: Metafile): string {
  const at = rest.lastIndexOf(MAP);
  const code = rest
    .slice(0, at)
    .replaceAll(NOTED, (all, before: string, path: string) =>
      Object.hasOwn(inputs, path) ? before + keptName(path) : all,
    );
  const map = JSON.parse(Buffer.from(rest.slice(at + MAP.length).trim(), 'base64').toString()) as SourceMap;
  const { sources, sourcesContent = [], mappings } = map;
  const kept: SourceMap = {
    version: map.version,
    sources: sources.map(keptName),
    sourcesContent: sources.map((path, n) =>
      !path.includes(PACKAGES) && Object.hasOwn(inputs, plain(path)) ? (sourcesContent[n] ?? null) : null,
    ),
    // One line of the generated text is one `;`.
    mappings: ';'.repeat(inserted.split('\n').length - 1) + mappings,
    names: map.names,
  };
  return `${first}${inserted}${code}${MAP}${Buffer.from(JSON.stringify(kept)).toString('base64')}\n`;
}
