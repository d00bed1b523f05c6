import { createRequire } from 'node:module';
import type { Expression, ExpressionProblem, Expressions } from '../contracts/index.ts';
import { expressionInvalid } from './errors.ts';

/** What is kept of compiled expressions: the most lately used, by count and by the characters of their sources. */
const MOST_KEPT = 2000;
const MOST_KEPT_CHARACTERS = 256 * 1024;

type Compile = typeof import('./compile.ts')['compile'];

let loaded: Compile | undefined;

/**
 * The library takes an eighth of a second and 25 MB, which agents and servers without expressions need not spend: it is
 * loaded at the first compilation, which cannot wait for an `import()`.
 */
function compile(source: string, roots: readonly string[]): ReturnType<Compile> {
  loaded ??= (createRequire(import.meta.url)(`./compile${ENDING}`) as { compile: Compile }).compile;
  return loaded(source, roots);
}

/** `.ts` in the sources, `.js` in the package that is published. */
const ENDING = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** CEL, behind the one port of the kernel. Holds nothing but compiled expressions. */
export function createExpressions(): Expressions {
  const kept = new Map<string, Expression>();
  let characters = 0;

  function keep(key: string, expression: Expression): void {
    kept.set(key, expression);
    characters += key.length;
    for (const [oldest] of kept) {
      if (kept.size <= MOST_KEPT && characters <= MOST_KEPT_CHARACTERS) return;
      kept.delete(oldest);
      characters -= oldest.length;
    }
  }

  return {
    compile(source, roots) {
      const key = [...roots, source].join('\n');
      const known = kept.get(key);
      if (known) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const compiled = compile(source, roots);
      if (Array.isArray(compiled)) throw refusal(compiled);
      keep(key, compiled);
      return compiled;
    },
    check(source, roots) {
      const compiled = compile(source, roots);
      return Array.isArray(compiled) ? compiled : [];
    },
  };
}

function refusal(problems: readonly ExpressionProblem[]) {
  const said = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  return expressionInvalid(said.join('; '), { data: { problems } });
}
