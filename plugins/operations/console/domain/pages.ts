import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { HttpPage, PageFile } from '../../../platform/http/contract.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** A name, or one below `assets/`: no leading dot and no other separator, so that every name is a file in the folder. */
const FILE_NAME = /^(?:assets\/)?[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

const NOT_BUILT = Buffer.from(`<!doctype html><title>svc</title>
<p>The console was not built. In a clone of the project, <code>npm ci</code> builds it; the server need not be started again.</p>`);

/** Below `/console/plugins/`: the plugin, and a file of its modules' folder. */
const OF_A_PLUGIN = /^plugins\/([^/]+)\/(.*)$/;

type ReadFile = (name: string) => Promise<PageFile | undefined>;

/** The files of `folder`, each read once. */
function filesOf(folder: string, built: boolean): ReadFile {
  const files = new Map<string, PageFile>();
  return async (name) => {
    const type = TYPES[extname(name)];
    if (!FILE_NAME.test(name) || type === undefined) return undefined;
    const page = files.get(name) ?? (await readPage(join(folder, name), type, built && name.startsWith('assets/')));
    // Only existing files are cached: there is no end of other names.
    if (page) files.set(name, page);
    return page;
  };
}

/** Serves `/console/<file>`, the files of plugins' modules, and the page itself at its entry paths. */
export function consolePages(folder: string, modules: ReadonlyMap<string, string> = new Map()): HttpPage[] {
  const file = filesOf(folder, true);
  const ofPlugins = new Map([...modules].map(([plugin, path]) => [plugin, filesOf(path, false)]));
  const any: ReadFile = async (name) => {
    const [, plugin = '', below = ''] = OF_A_PLUGIN.exec(name) ?? [];
    return plugin === '' ? file(name) : ofPlugins.get(plugin)?.(below);
  };
  const entry = async () => (await file('index.html')) ?? { body: NOT_BUILT, type: TYPES['.html']! };
  return [
    { path: '/', serve: entry },
    { path: '/sign-in', serve: entry },
    // `run_url` points here; the page finds the run from its address.
    { path: '/orgs/*', serve: entry },
    { path: '/console/*', serve: (path) => any(path.slice('/console/'.length)) },
  ];
}

/** What the build put below `assets/` has the digest of its content in its name. */
async function readPage(path: string, type: string, immutable: boolean): Promise<PageFile | undefined> {
  const body = await readIfThere(path);
  if (!body) return undefined;
  const brotli = await readIfThere(`${path}.br`);
  return { body, type, immutable, ...(brotli && { brotli }) };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
