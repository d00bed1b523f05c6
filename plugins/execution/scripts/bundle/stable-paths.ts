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

/** Decodes a path, because a source map names its files as parts of a URL. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the machine-independent name of a file, because a package has another location on every machine. */
function stableName(path: string): string {
  const at = path.lastIndexOf(PACKAGES);
  return at < 0 ? path : path.slice(at);
}

/** Matches how the bundler writes a path: in a comment, or as the name of a CommonJS module. */
const PATH_REFERENCE = /(^[ \t]*(?:\/\/ |")|\{")([^"\n]+)(?=$|"\()/gm;

interface BundleText {
  /** The interpreter line, or empty. */
  shebang: string;
  /** Lines that the bundler does not know of. */
  inserted: string;
  /** The bundler's output, with its map. */
  output: string;
}

/**
 * Returns a bundle in which the names of files are the same on every machine. Its map contains the text of the
 * author's own files, and only the locations of packages. A file that only a map names has no text either, because
 * the bundler reads it from wherever the map says.
 */
export function stabilizePaths({ shebang, inserted, output }: BundleText, { inputs }: Metafile): string {
  const at = output.lastIndexOf(MAP);
  const code = output
    .slice(0, at)
    .replaceAll(PATH_REFERENCE, (all, before: string, path: string) =>
      Object.hasOwn(inputs, path) ? before + stableName(path) : all,
    );
  const map = JSON.parse(Buffer.from(output.slice(at + MAP.length).trim(), 'base64').toString()) as SourceMap;
  const { sources, sourcesContent = [], mappings } = map;
  const stable_map: SourceMap = {
    version: map.version,
    sources: sources.map(stableName),
    sourcesContent: sources.map((path, n) =>
      !path.includes(PACKAGES) && Object.hasOwn(inputs, decodePath(path)) ? (sourcesContent[n] ?? null) : null,
    ),
    // In the mappings, every generated line is one `;`.
    mappings: ';'.repeat(inserted.split('\n').length - 1) + mappings,
    names: map.names,
  };
  return `${shebang}${inserted}${code}${MAP}${Buffer.from(JSON.stringify(stable_map)).toString('base64')}\n`;
}
