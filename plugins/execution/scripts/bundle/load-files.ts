import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Loader, OnLoadResult, Plugin } from 'esbuild';
import { isWithin, openWithin, OutsideFault, PrivateFileError, type WorkflowRoot } from '../contract/workflow-root.ts';
import { isAvailableAtRuntime } from './needs.ts';

const PACKAGES = 'node_modules';
/** Matches `name` or `@scope/name`, and the path below it. */
const PACKAGE = /^((?:@[^/]+\/)?[^/@.][^/]*)(?:\/(.*))?$/;
/** Matches a comment that names the source map of a file. One that contains the map itself names none. */
const NAMES_A_MAP = /([#@] ?sourceMapping)URL(=(?!data:))/g;

/**
 * Reads every file of a bundle in place of the bundler, and only files of the root and of packages. A package above
 * the root, where Node would find it, is installed program code: it counts if a name leads to it and it is not a
 * link, and then with all of its own files.
 */
export function loadFilesPlugin(root: WorkflowRoot, entry: { path: string; source: string; loader: Loader }): Plugin {
  const package_folders = foldersAbove(root.real).map((folder) => join(folder, PACKAGES));
  const allowed_packages = new Set<string>();
  const named_paths = new Set<string>();
  const isAllowed = (real: string) =>
    isWithin(root.real, real) || allowed_packages.has(findPackageFolder(real, package_folders) ?? '');
  return {
    name: 'svc-own-files',
    setup(build) {
      // The bundler does not ask for the files that the pattern of an `import()` matches.
      build.onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => {
        named_paths.add(resolve(resolveDir, path));
        return undefined;
      });
      build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
        const name = PACKAGE.exec(path);
        if (pluginData === RESOLVING || isAvailableAtRuntime(path) || !name || from.kind === 'entry-point')
          return undefined;
        const resolution = await build.resolve(path, { ...from, pluginData: RESOLVING });
        const package_folder =
          resolution.external || resolution.errors.length > 0
            ? undefined
            : findPackageFolder(resolution.path, package_folders);
        // A path that goes up again is not the name of a package.
        if (package_folder !== undefined && !(name[2] ?? '').split('/').includes('..'))
          allowed_packages.add(package_folder);
        if (!resolution.external && resolution.errors.length === 0) named_paths.add(resolution.path);
        return resolution.errors.length > 0 ? undefined : { ...resolution, pluginData: undefined };
      });
      build.onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }): Promise<OnLoadResult> => {
        if (path === entry.path)
          return {
            contents: disableSourceMap(Buffer.from(entry.source)),
            resolveDir: dirname(path),
            loader: entry.loader,
          };
        return await loadFile({ root, path, isAllowed, named_paths });
      });
    },
  };
}

const RESOLVING = Symbol('resolved by the bundler');

interface LoadRequest {
  root: WorkflowRoot;
  path: string;
  isAllowed: (real: string) => boolean;
  /** The paths that imports name, links included. A pattern such as `./${name}.json` names none of its files. */
  named_paths: ReadonlySet<string>;
}

async function loadFile({ root, path, isAllowed, named_paths }: LoadRequest): Promise<OnLoadResult> {
  try {
    const file = await openWithin(root, path, path, isAllowed);
    try {
      const contents = await file.readFile();
      return { contents: disableSourceMap(contents), resolveDir: dirname(path), loader: 'default' };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof PrivateFileError && !(await isNamed(named_paths, path)))
      return { contents: `throw new Error(${JSON.stringify(error.message)});`, loader: 'js' };
    if (error instanceof OutsideFault) return { errors: [{ text: error.message, detail: error }] };
    throw error;
  }
}

/** True if an import names the file, or a path that becomes it with an extension or the main file of a folder. */
async function isNamed(named_paths: ReadonlySet<string>, path: string): Promise<boolean> {
  // The bundler says where links lead to, and imports may name the links.
  const real_paths = await Promise.all([...named_paths].map(resolveLinks));
  return real_paths.some((named) => path === named || path.startsWith(`${named}.`) || path.startsWith(named + sep));
}

/** Resolves the links of a path. The last part need not exist: an import may leave out the extension. */
async function resolveLinks(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return await realpath(path).catch(() => join(folder, basename(path)));
}

/**
 * Disables references to source maps, which the bundler would read from wherever the comment says. The length of the
 * text and its columns stay the same.
 */
function disableSourceMap(contents: Buffer): Buffer {
  if (!contents.includes('sourceMappingURL=')) return contents;
  // Byte by byte, whatever the encoding of the text.
  return Buffer.from(contents.toString('latin1').replaceAll(NAMES_A_MAP, '$1Url$2'), 'latin1');
}

/** Returns the folder of the package that a file belongs to, if it is in one of these folders. */
function findPackageFolder(real: string, folders: readonly string[]): string | undefined {
  const folder = folders.find((one) => real.startsWith(one + sep));
  if (folder === undefined) return undefined;
  // Packages may contain packages.
  const nested = real.lastIndexOf(`${sep}${PACKAGES}${sep}`) + PACKAGES.length + 2;
  const [, name] = PACKAGE.exec(real.slice(nested)) ?? [];
  return name === undefined ? undefined : join(real.slice(0, nested), name);
}

const foldersAbove = (folder: string): string[] =>
  folder === dirname(folder) ? [] : [dirname(folder), ...foldersAbove(dirname(folder))];
