import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpPage } from '../../http/contract.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** No separator and no leading dot, so that every name is a file in this folder. */
const FILE_NAME = /^[a-z][a-z0-9-]*\.[a-z]+$/;

interface Page {
  body: Buffer;
  type: string;
}

/** Serves the files of `folder`, each read once: `/console/<file>`, and the page itself at its entry paths. */
export function consolePages(folder: string): HttpPage[] {
  const files = new Map<string, Page>();
  const file = async (name: string): Promise<Page | undefined> => {
    const type = TYPES[extname(name)];
    if (!FILE_NAME.test(name) || type === undefined) return undefined;
    const page = files.get(name) ?? (await readPage(join(folder, name), type));
    // Only existing files are cached: there is no end of other names.
    if (page) files.set(name, page);
    return page;
  };
  return [
    { path: '/', serve: () => file('index.html') },
    // `run_url` points here; the page finds the run from its address.
    { path: '/orgs/*', serve: () => file('index.html') },
    { path: '/console/*', serve: (path) => file(path.slice('/console/'.length)) },
  ];
}

async function readPage(path: string, type: string): Promise<Page | undefined> {
  try {
    return { body: await readFile(path), type };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
