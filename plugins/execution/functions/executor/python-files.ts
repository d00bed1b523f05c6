import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** `from ..a.b import (c, d)` or `import a.b, c as d`. */
const IMPORT = /^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]+)|import[ \t]+([^\n#;]+))/gm;

/**
 * Reads a Python file and the modules of its own project that it imports, by their paths. Python looks for those in the folder of
 * the file; what is not there is a package of the machine, which does not count.
 */
export async function readPythonFiles(file: string): Promise<Map<string, Uint8Array>> {
  const root = dirname(resolve(file));
  const found = new Map<string, Uint8Array>();
  found.set(resolve(file), await readFile(file));
  // Files that are found on the way are visited too.
  for (const [path, content] of found) {
    for (const candidate of importedFiles(content.toString(), { root, folder: dirname(path) })) {
      if (found.has(candidate)) continue;
      const read = await readFile(candidate).catch(() => undefined);
      if (read !== undefined) found.set(candidate, read);
    }
  }
  return found;
}

/** The paths at which the modules of a text may be, of those that belong to the project. */
function importedFiles(source: string, { root, folder }: { root: string; folder: string }): string[] {
  return [...source.matchAll(IMPORT)].flatMap(([, dots = '', from = '', names, modules = '']) => {
    if (names === undefined) return listed(modules).flatMap((module) => pathsOf(root, module.split('.')));
    const base = dots === '' ? root : resolve(folder, ...Array<string>(dots.length - 1).fill('..'));
    const segments = from.split('.').filter((segment) => segment !== '');
    return listed(names.replace(/[()]/g, '')).flatMap((name) => pathsOf(base, [...segments, name]));
  });
}

/** The names of `a, b as c`. */
const listed = (text: string): string[] =>
  text
    .split(',')
    .map((clause) => clause.trim().split(/\s+/)[0]!)
    .filter((name) => /^[\w.]+$/.test(name));

/** A module, and the packages around it. */
const pathsOf = (base: string, segments: readonly string[]): string[] =>
  segments.flatMap((_, position) => {
    const path = join(base, ...segments.slice(0, position + 1));
    return [`${path}.py`, join(path, '__init__.py')];
  });
