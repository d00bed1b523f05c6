import { createRequire } from 'node:module';
import { BoundedMap, type Expression, type Expressions } from '../../../kernel/contracts/index.ts';
import { invalidExpression } from './contract/errors.ts';

/** The limits of the cache of compiled expressions: their number, and the characters of their sources. */
const MAX_CACHED = 2000;
const MAX_CACHED_CHARACTERS = 256 * 1024;

type Compiler = Pick<typeof import('./compile.ts'), 'compile' | 'countUnits'>;

let loaded: Compiler | undefined;

/**
 * The library takes 125 ms and 25 MB, which agents and servers without expressions should not spend, so it is loaded at the
 * first compilation. Compilation is synchronous, so `import()` cannot be used.
 */
function compile(source: string, roots: readonly string[]): ReturnType<Compiler['compile']> {
  loaded ??= createRequire(import.meta.url)(`./compile${ENDING}`) as Compiler;
  return loaded.compile(source, roots);
}

/** The file ending: `.ts` in the sources, `.js` in the published package. */
const ENDING = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** Implements the kernel's expressions with CEL. It stores nothing but compiled expressions. */
export function createExpressions(): Expressions {
  const cache = new BoundedMap<string, Expression>(MAX_CACHED, {
    max_weight: MAX_CACHED_CHARACTERS,
    weigh: (_, key) => key.length,
  });
  const keyOf = (source: string, roots: readonly string[]) => [...roots, source].join('\n');
  return {
    compile(source, roots) {
      const key = keyOf(source, roots);
      const cached = cache.get(key);
      if (cached) return cached;
      const compiled = compile(source, roots);
      if (Array.isArray(compiled)) throw invalidExpression(compiled);
      cache.set(key, compiled);
      return compiled;
    },
    units: () => loaded?.countUnits() ?? 0,
    ready: (source, roots) => cache.get(keyOf(source, roots)),
    check(source, roots) {
      const compiled = compile(source, roots);
      return Array.isArray(compiled) ? compiled : [];
    },
  };
}
