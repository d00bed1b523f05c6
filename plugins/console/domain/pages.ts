import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpPage, PageFile } from '../../http/contract.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A name, or one below `assets/`: no leading dot and no other separator, so that every name is a file in the folder. */
const FILE_NAME = /^(?:assets\/)?[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

const NOT_BUILT = Buffer.from(`<!doctype html><title>svc</title>
<p>The console was not built. In a clone of the project, <code>npm ci</code> builds it; the server need not be started again.</p>`);

/** Serves the files of `folder`, each read once: `/console/<file>`, and the page itself at its entry paths. */
export function consolePages(folder: string): HttpPage[] {
  const files = new Map<string, PageFile>();
  const file = async (name: string): Promise<PageFile | undefined> => {
    const type = TYPES[extname(name)];
    if (!FILE_NAME.test(name) || type === undefined) return undefined;
    const page = files.get(name) ?? (await readPage(folder, name, type));
    // Only existing files are cached: there is no end of other names.
    if (page) files.set(name, page);
    return page;
  };
  const entry = async () => (await file('index.html')) ?? { body: NOT_BUILT, type: TYPES['.html']! };
  return [
    { path: '/', serve: entry },
    { path: '/sign-in', serve: entry },
    // `run_url` points here; the page finds the run from its address.
    { path: '/orgs/*', serve: entry },
    { path: '/console/*', serve: (path) => file(path.slice('/console/'.length)) },
  ];
}

/** What the build put below `assets/` has the digest of its content in its name. */
async function readPage(folder: string, name: string, type: string): Promise<PageFile | undefined> {
  const body = await readIfThere(join(folder, name));
  if (!body) return undefined;
  const brotli = await readIfThere(join(folder, `${name}.br`));
  return { body, type, immutable: name.startsWith('assets/'), ...(brotli && { brotli }) };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
