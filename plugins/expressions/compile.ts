import { type CelValue, isCelError, parse, plan } from '@bufbuild/cel';
import type { Evaluated, Expression, ExpressionProblem, ExpressionUse, Tested } from '../../kernel/contracts/index.ts';
import { depthOf, type Expr } from './ast.ts';
import { environment } from './functions.ts';
import { instrument } from './instrument.ts';
import { charge, EVALUATION_UNITS, metered } from './meter.ts';
import { placeOf, unknownNames } from './names.ts';
import { usesOf } from './uses.ts';
import { readPath } from './read-path.ts';
import { reasonOf } from './reasons.ts';
import { timeText, toJson } from './result.ts';
import { MAX_DEPTH, scan } from './scan.ts';
import { fromJson } from './json-values.ts';

const MAX_PROBLEMS = 20;
const TOO_DEEP = `expressions may be nested at most ${MAX_DEPTH} levels deep`;
export const TOO_MUCH_WORK = 'evaluating the expression on this value takes too much work';

/**
 * The compiled expression, or everything that is wrong with its text.
 * @public loaded when it is first needed
 */
export function compile(source: string, roots: readonly string[]): Expression | ExpressionProblem[] {
  const scanned = scan(source);
  const problem = (offset: number, message: string) => ({ ...placeOf(source, offset), message });
  if ('offset' in scanned) return [problem(scanned.offset, scanned.message)];
  const parsed = readPath(scanned.text) ?? parseOf(scanned.text, problem);
  if ('message' in parsed) return [parsed];
  const expr = parsed.expr!;
  if (depthOf(expr) > MAX_DEPTH) return [problem(0, TOO_DEEP)];
  const { positions } = parsed;
  const faults = unknownNames(expr, roots);
  if (faults.length === 0) return new Compiled(source, expr, positions);
  return faults.slice(0, MAX_PROBLEMS).map(({ id, message }) => problem(positions[String(id)] ?? 0, message));
}

function parseOf(text: string, say: Say) {
  try {
    const { expr, sourceInfo } = parse(text);
    return { expr, positions: sourceInfo?.positions ?? {} };
  } catch (error) {
    return parseProblem(error, text, say);
  }
}

type Say = (offset: number, message: string) => ExpressionProblem;

/** The parser's own messages name grammar rules that callers do not know. */
function parseProblem(error: unknown, text: string, say: Say): ExpressionProblem {
  if (error instanceof RangeError) return say(0, TOO_DEEP);
  const { location } = error as { location?: { start?: { offset?: number } } };
  const offset = location?.start?.offset;
  if (offset === undefined) return say(0, 'the text is not an expression');
  const rest = /^\s*(\w+|[^\w\s]{1,3})?/.exec(text.slice(offset))?.[1];
  if (rest === undefined) return say(offset, 'the expression ends too early');
  if (WORDS.has(rest) && text[offset - 1] === '.')
    return say(offset, `\`${rest}\` is a word of the language: write ["${rest}"] in place of .${rest}`);
  return say(offset, `cannot be read from \`${rest.slice(0, 32)}\` on`);
}

/** They cannot follow a dot. */
const WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

interface Program {
  run: ReturnType<typeof plan>;
  weight: number;
  origins: ReadonlyMap<bigint, Expr>;
}

function programOf(source: Expr): Program {
  const { expr, weight, origins } = instrument(source);
  return { run: plan(environment, expr), weight, origins };
}

class Compiled implements Expression {
  readonly source: string;
  /** Made at the first evaluation: a check of a large document compiles much that is never evaluated here. */
  #program: Program | undefined;
  readonly #positions: Readonly<Record<string, number>>;
  readonly #expr: Expr;

  constructor(source: string, expr: Expr, positions: Readonly<Record<string, number>>) {
    this.source = source;
    this.#expr = expr;
    this.#positions = positions;
  }

  uses(name: string): ExpressionUse[] {
    if (!this.source.includes(name)) return [];
    return usesOf(this.#expr, name).map(({ id, member, inner }) => ({
      member,
      inner,
      ...placeOf(this.source, this.#positions[String(id)] ?? 0),
    }));
  }

  evaluate(scope: Readonly<Record<string, unknown>>): Evaluated {
    return this.#evaluate(scope, EVALUATION_UNITS, (value) => toJson(value, timeText)).found;
  }

  test(scope: Readonly<Record<string, unknown>>, most = EVALUATION_UNITS): Tested {
    const { found, ...cost } = this.#evaluate(scope, most, (value) => value);
    if (!found.ok) return { ...found, ...cost };
    if (typeof found.value === 'boolean') return { ok: true, value: found.value, ...cost };
    return { ok: false, reason: 'the expression is neither true nor false', ...cost };
  }

  #evaluate(
    scope: Readonly<Record<string, unknown>>,
    most: number,
    answer: (value: CelValue) => unknown,
  ): Pick<Tested, 'units' | 'spent'> & { found: Evaluated } {
    try {
      const { value, spent, unreadable, units } = metered(most, () => this.#found(scope, answer));
      const reason = spent ? TOO_MUCH_WORK : unreadable;
      return { found: reason === undefined ? value : { ok: false, reason }, spent, units };
    } catch (error) {
      /* A stack overflow, for values nested more deeply than JSON from the wire can be. */
      if (error instanceof RangeError)
        return { found: { ok: false, reason: TOO_MUCH_WORK }, spent: false, units: most };
      throw error;
    }
  }

  #found(scope: Readonly<Record<string, unknown>>, answer: (value: CelValue) => unknown): Evaluated {
    const bindings: Record<string, unknown> = Object.create(null);
    for (const [name, value] of Object.entries(scope)) bindings[name] = fromJson(value, name);
    try {
      const { run, weight } = (this.#program ??= programOf(this.#expr));
      charge(weight);
      const found = run(bindings as never);
      return isCelError(found) ? this.#reason(found) : { ok: true, value: answer(found) };
    } catch (error) {
      return this.#reason({ message: error instanceof Error ? error.message : '', exprId: undefined });
    }
  }

  #reason({ message, exprId }: { message: string; exprId: bigint | undefined }): Evaluated {
    const origin = exprId === undefined ? undefined : this.#program?.origins.get(exprId);
    const { line, column } = placeOf(this.source, this.#positions[String(origin?.id)] ?? 0);
    return { ok: false, reason: reasonOf(message, origin, `line ${line}, column ${column}`) };
  }
}
