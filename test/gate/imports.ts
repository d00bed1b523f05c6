import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What a file names in its imports: files of the clone by their paths, all else by name. */
export interface Imports {
  files: string[];
  others: string[];
}

/** `from '…'`, `import '…'`, `import('…')`, and `import.meta.resolve('…')`. Types are erased, and what they name is not loaded. */
const VALUE =
  /^(?:import|export)\s(?!type\s)[^;'"]*?\sfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|\bimport\.meta\.resolve\(['"]([^'"]+)['"]\)/gm;

/** The imports of the clone's files, each read once. */
export class ImportGraph {
  readonly #known = new Map<string, Imports>();

  of(path: string): Imports {
    let found = this.#known.get(path);
    if (found === undefined) {
      found = read(path);
      this.#known.set(path, found);
    }
    return found;
  }

  /** The file itself and all that loading it loads: files of the clone, and names of all else. */
  reach(path: string): { files: Set<string>; others: Set<string> } {
    const files = new Set<string>([path]);
    const others = new Set<string>();
    // It grows while it is walked.
    for (const file of files) {
      const imports = this.of(file);
      for (const next of imports.files) files.add(next);
      for (const other of imports.others) others.add(other);
    }
    return { files, others };
  }
}

function read(path: string): Imports {
  const imports: Imports = { files: [], others: [] };
  if (!/\.(ts|tsx|mts|mjs|js)$/.test(path) || !existsSync(path)) return imports;
  for (const found of readFileSync(path, 'utf8').matchAll(VALUE)) {
    const name = found.slice(1).find((one) => one !== undefined)!;
    if (name.startsWith('.')) imports.files.push(normalize(join(dirname(path), name)));
    else imports.others.push(name);
  }
  return imports;
}
