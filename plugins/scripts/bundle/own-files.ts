import { dirname, join, sep } from 'node:path';
import type { Loader, OnLoadResult, Plugin } from 'esbuild';
import { isWithin, openWithin, OutsideFault, type WorkflowRoot } from '../contract/workflow-root.ts';
import { isThere } from './needs.ts';

const PACKAGES = 'node_modules';
/** `name` or `@scope/name`, and what is below it. */
const PACKAGE = /^((?:@[^/]+\/)?[^/@.][^/]*)(?:\/(.*))?$/;
/** A comment that names a file with the map of this one. One that holds the map itself names none. */
const NAMES_A_MAP = /([#@] ?sourceMapping)URL(=(?!data:))/g;

/**
 * Reads every file of a bundle in place of the bundler, and only files of the root and of packages. A package that lies
 * above the root, as Node finds it, is program code that somebody has installed: it counts when a name leads to it, it is
 * no link, and then with all of its own files.
 */
export function ownFiles(root: WorkflowRoot, entry: { path: string; source: string; loader: Loader }): Plugin {
  const above = foldersAbove(root.real).map((folder) => join(folder, PACKAGES));
  const entered = new Set<string>();
  const mayRead = (real: string) => isWithin(root.real, real) || entered.has(packageOf(real, above) ?? '');
  return {
    name: 'svc-own-files',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
        const name = PACKAGE.exec(path);
        if (pluginData === PASSED || isThere(path) || !name || from.kind === 'entry-point') return undefined;
        const found = await build.resolve(path, { ...from, pluginData: PASSED });
        const lies = found.external || found.errors.length > 0 ? undefined : packageOf(found.path, above);
        // What goes up again is a path, and not the name of a package.
        if (lies !== undefined && !(name[2] ?? '').split('/').includes('..')) entered.add(lies);
        return found.errors.length > 0 ? undefined : { ...found, pluginData: undefined };
      });
      build.onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }): Promise<OnLoadResult> => {
        if (path === entry.path)
          return {
            contents: withoutMap(Buffer.from(entry.source)),
            resolveDir: dirname(path),
            loader: entry.loader,
          };
        return await readOwn(root, path, mayRead);
      });
    },
  };
}

const PASSED = Symbol('resolved by the bundler');

async function readOwn(root: WorkflowRoot, path: string, mayRead: (real: string) => boolean): Promise<OnLoadResult> {
  try {
    const file = await openWithin(root, path, path, mayRead);
    try {
      const contents = await file.readFile();
      return { contents: withoutMap(contents), resolveDir: dirname(path), loader: 'default' };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof OutsideFault) return { errors: [{ text: error.message, detail: error }] };
    throw error;
  }
}

/** The bundler would read the map from wherever the comment says. The text keeps its length, and so its columns. */
function withoutMap(contents: Buffer): Buffer {
  if (!contents.includes('sourceMappingURL=')) return contents;
  // Byte for byte, of whatever encoding the text is.
  return Buffer.from(contents.toString('latin1').replaceAll(NAMES_A_MAP, '$1Url$2'), 'latin1');
}

/** The folder of the package that a file belongs to, where it lies in one of these folders. */
function packageOf(real: string, folders: readonly string[]): string | undefined {
  const folder = folders.find((one) => real.startsWith(one + sep));
  if (folder === undefined) return undefined;
  // Packages have packages of their own.
  const nested = real.lastIndexOf(`${sep}${PACKAGES}${sep}`) + PACKAGES.length + 2;
  const [, name] = PACKAGE.exec(real.slice(nested)) ?? [];
  return name === undefined ? undefined : join(real.slice(0, nested), name);
}

const foldersAbove = (folder: string): string[] =>
  folder === dirname(folder) ? [] : [dirname(folder), ...foldersAbove(dirname(folder))];
