import { createRequire } from 'node:module';
import { BoundedMap, type Expression, type Expressions } from '../../kernel/contracts/index.ts';
import { invalidExpression } from './contract/errors.ts';

/** Cache of compiled expressions: the most recently used ones, limited by count and by source characters. */
const MAX_KEPT = 2000;
const MAX_KEPT_CHARACTERS = 256 * 1024;

type Compile = typeof import('./compile.ts')['compile'];

let loaded: Compile | undefined;

/**
 * The library takes 125 ms and 25 MB, which agents and servers without expressions should not spend: it is loaded at
 * the first compilation. That is synchronous, so `import()` cannot be used.
 */
function compile(source: string, roots: readonly string[]): ReturnType<Compile> {
  loaded ??= (createRequire(import.meta.url)(`./compile${ENDING}`) as { compile: Compile }).compile;
  return loaded(source, roots);
}

/** `.ts` in the sources, `.js` in the package that is published. */
const ENDING = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** CEL behind the kernel's contract. Keeps nothing but compiled expressions. */
export function createExpressions(): Expressions {
  const kept = new BoundedMap<string, Expression>(MAX_KEPT, {
    max_weight: MAX_KEPT_CHARACTERS,
    weigh: (_, key) => key.length,
  });
  const keyOf = (source: string, roots: readonly string[]) => [...roots, source].join('\n');
  return {
    compile(source, roots) {
      const key = keyOf(source, roots);
      const known = kept.get(key);
      if (known) return known;
      const compiled = compile(source, roots);
      if (Array.isArray(compiled)) throw invalidExpression(compiled);
      kept.set(key, compiled);
      return compiled;
    },
    ready: (source, roots) => kept.get(keyOf(source, roots)),
    check(source, roots) {
      const compiled = compile(source, roots);
      return Array.isArray(compiled) ? compiled : [];
    },
  };
}
