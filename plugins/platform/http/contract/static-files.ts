import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

interface FileOfPage {
  type: string;
  /** Default: 200. */
  status?: number;
  /** The content of this path never changes, so browsers may cache it forever. */
  immutable?: boolean;
}

/** A file of a page: its bytes, the same compressed with Brotli, or both. */
export type PageFile = FileOfPage & ({ body: Buffer; brotli?: Buffer } | { body?: undefined; brotli: Buffer });

export const HTML = 'text/html; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Names without a leading dot, separated by single slashes: every such path is in the folder. */
const FILE_PATH = /^[A-Za-z0-9_@][A-Za-z0-9_@.-]*(?:\/[A-Za-z0-9_@][A-Za-z0-9_@.-]*)*$/;

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

async function unlessAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Changes when another file is in its place or it is written; undefined if there is no file. */
async function versionOf(path: string): Promise<string | undefined> {
  const found = await unlessAbsent(stat(path));
  return found?.isFile() ? [found.ino, found.size, found.mtimeMs, found.ctimeMs].join() : undefined;
}

async function read(path: string, type: string, immutable: boolean): Promise<PageFile | undefined> {
  const [body, brotli] = await Promise.all([unlessAbsent(readFile(path)), unlessAbsent(readFile(`${path}.br`))]);
  const common = { type, immutable };
  if (body) return { ...common, body, ...(brotli && { brotli }) };
  return brotli && { ...common, brotli };
}

export type ReadStaticFile = (path: string) => Promise<PageFile | undefined>;

/**
 * Reads files of a folder by their paths in it: `<path>`, `<path>.br` or both. The bytes stay in memory, so that their ETag is
 * computed once, until the file has changed. `built` says that names below `assets/` contain digests of their contents.
 */
export function staticFiles(folder: string, { built }: { built: boolean }): ReadStaticFile {
  // Only existing files are cached: there is no end of other names.
  const cached = new Map<string, { version: string; file: PageFile }>();
  return async (path) => {
    const type = TYPES[extname(path)];
    if (type === undefined || !FILE_PATH.test(path)) return undefined;
    const full = join(folder, path);
    const versions = await Promise.all([versionOf(full), versionOf(`${full}.br`)]);
    const version = versions.join(' ');
    const before = cached.get(path);
    if (before?.version === version) return before.file;
    cached.delete(path);
    if (versions.every((one) => one === undefined)) return undefined;
    const file = await read(full, type, built && path.startsWith('assets/'));
    if (file) cached.set(path, { version, file });
    return file;
  };
}
