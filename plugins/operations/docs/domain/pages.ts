import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { HttpPage, PageFile } from '../../../platform/http/contract.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Names without a leading dot, separated by single slashes: every such path is in the folder. */
const FILE_PATH = /^[A-Za-z0-9_@][A-Za-z0-9_@.-]*(?:\/[A-Za-z0-9_@][A-Za-z0-9_@.-]*)*$/;

const NOT_BUILT = Buffer.from(`<!doctype html><title>svc</title>
<p>The documentation was not built. In a clone of the project, <code>npm run docs</code> builds it; the server need not be started again.</p>`);

/** The pages have their addresses below `/docs/`, so that `/docs` leads there. */
const ENTRY = Buffer.from(`<!doctype html><title>svc</title><meta http-equiv="refresh" content="0; url=/docs/">
<p><a href="/docs/">Documentation</a></p>`);

/** What a system answers for names that no file can have there. */
const MISSING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

/** Bytes that are stored compressed. Browsers accept them as they are; only other programs need the plain ones. */
class Packed implements PageFile {
  readonly type: string;
  readonly brotli: Buffer;
  readonly immutable: boolean;
  readonly status: number;

  constructor(brotli: Buffer, type: string, immutable: boolean, status: number) {
    this.brotli = brotli;
    this.type = type;
    this.immutable = immutable;
    this.status = status;
  }

  get body(): Buffer {
    return brotliDecompressSync(this.brotli);
  }
}

/** A file of the site. Nothing is cached: the disk cache of the system is enough, and a new build shows at once. */
async function fileOf(folder: string, path: string, status = 200): Promise<PageFile | undefined> {
  const type = TYPES[extname(path)];
  if (type === undefined || !FILE_PATH.test(path)) return undefined;
  // The name of what the build put below `assets/` contains the digest of its content.
  const immutable = path.startsWith('assets/');
  const brotli = await readIfThere(join(folder, `${path}.br`));
  if (brotli) return new Packed(brotli, type, immutable, status);
  const body = await readIfThere(join(folder, path));
  return body && { body, type, immutable, status };
}

/** Serves the site in this folder under `/docs`. A page has no ending in its address: `/docs/scripts`. */
export function docsPages(folder: string): HttpPage[] {
  const page = async (path: string): Promise<PageFile | undefined> => {
    const found = await fileOf(folder, path === '' ? 'index.html' : path);
    if (found || extname(path) !== '') return found;
    return fileOf(folder, `${path.replace(/\/$/, '')}.html`);
  };
  const type = TYPES['.html']!;
  return [
    { path: '/docs', serve: async () => ({ body: ENTRY, type }) },
    {
      path: '/docs/*',
      serve: async (path) => {
        const name = path.slice('/docs/'.length);
        const found = await page(name);
        if (found || extname(name) !== '') return found;
        return (await fileOf(folder, '404.html', 404)) ?? { body: NOT_BUILT, type };
      },
    },
  ];
}
