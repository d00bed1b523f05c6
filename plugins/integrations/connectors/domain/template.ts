import type { Expressions, Fault } from '../../../../kernel/contracts/index.ts';
import type { ManifestProblem } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { isNumber, pointerTo } from '../../../platform/schema/contract.ts';
import { splitInterpolations } from '../../../engine/flows/contract.ts';
import { compileInterpolation, type Declarations, type Interpolation, readInterpolation } from './interpolation.ts';
import { ABSENT, type ActionScope } from './scope.ts';

/** Fills a template. What cannot be filled is reported and left out. */
export type Filler<T = Json> = (scope: ActionScope, errors: Fault[]) => T | typeof ABSENT;

export type TextPiece = { literal: string } | { interpolation: Interpolation };

/** Compiles the templates of one action and notes what is wrong with them, with pointers into the manifest. */
export class TemplateCompiler {
  readonly problems: ManifestProblem[] = [];
  readonly #declared: Declarations;
  readonly #expressions: Expressions;

  constructor(declared: Declarations, expressions: Expressions) {
    this.#declared = declared;
    this.#expressions = expressions;
  }

  report(pointer: string, rule: string, message: string, fix: string): void {
    this.problems.push({ pointer, rule, message, fix });
  }

  /** Compiles any JSON with templates and `$map`. */
  compileJson(template: Json, pointer: string): Filler {
    if (typeof template === 'string') return this.#compileString(template, pointer);
    if (Array.isArray(template))
      return listFiller(template.map((one, at) => this.compileJson(one, pointerTo(pointer, at))));
    if (typeof template !== 'object' || template === null || isNumber(template)) return () => template;
    if (Object.hasOwn(template, '$map'))
      return this.#compileChoice(template.$map as unknown as Choice, `${pointer}/$map`);
    const members = Object.entries(template).map(
      ([name, one]) => [name, this.compileJson(one, pointerTo(pointer, name))] as const,
    );
    return objectFiller(members);
  }

  /** Compiles a template whose result is a text. */
  compileText(template: Json, pointer: string): Filler<string> {
    const fill = this.compileJson(template, pointer);
    return (scope, errors) => {
      const value = fill(scope, errors);
      return value === ABSENT ? ABSENT : toText(value);
    };
  }

  /** Splits a text into pieces. Returns undefined when an expression is invalid. */
  pieces(template: string, pointer: string): TextPiece[] | undefined {
    const split = splitInterpolations(template);
    if ('message' in split) {
      const detail = `line ${split.line}, column ${split.column}: ${split.message}`;
      this.report(pointer, 'hole_form', detail, "write {{ input.text }}; the two characters themselves are {{ '{{' }}");
      return undefined;
    }
    const report = (rule: string, message: string, fix: string) => this.report(pointer, rule, message, fix);
    const pieces = split.segments.map((segment): TextPiece | undefined => {
      if (typeof segment === 'string') return { literal: segment };
      const interpolation = compileInterpolation(segment.expr, this.#declared, this.#expressions, report);
      return interpolation && { interpolation };
    });
    return pieces.every((one) => one !== undefined) ? pieces : undefined;
  }

  #compileString(template: string, pointer: string): Filler {
    const pieces = this.pieces(template, pointer) ?? [];
    for (const piece of pieces)
      if ('interpolation' in piece && piece.interpolation.form === 'path')
        this.report(
          pointer,
          'path_in_url',
          'path(…) belongs in the path of the url',
          'write the value without path(…)',
        );
    const [first] = pieces;
    if (pieces.length === 1 && first && 'interpolation' in first)
      return (scope, errors) => evaluate(first.interpolation, scope, errors);
    return (scope, errors) => {
      let compileText = '';
      for (const piece of pieces) {
        const value = 'literal' in piece ? piece.literal : evaluate(piece.interpolation, scope, errors);
        if (value === ABSENT) return ABSENT;
        compileText += toText(value);
      }
      return compileText;
    };
  }

  #compileChoice({ on, cases, default: otherwise }: Choice, pointer: string): Filler {
    const chosen = this.compileText(on, `${pointer}/on`);
    const fillers = new Map(
      Object.entries(cases).map(([name, one]) => [name, this.compileJson(one, pointerTo(`${pointer}/cases`, name))]),
    );
    const fallback = otherwise === undefined ? () => ABSENT : this.compileJson(otherwise, `${pointer}/default`);
    return (scope, errors) => {
      const value = chosen(scope, errors);
      const filler = (value === ABSENT ? undefined : fillers.get(value)) ?? fallback;
      return (filler as Filler)(scope, errors);
    };
  }
}

interface Choice {
  on: string;
  cases: { readonly [name: string]: Json };
  default?: Json;
}

/** Converts a value to text: strings as they are, other values as JSON. */
export const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function evaluate(interpolation: Interpolation, scope: ActionScope, errors: Fault[]): Json | typeof ABSENT {
  const read = readInterpolation(interpolation, scope);
  if (read === ABSENT) return ABSENT;
  if ('value' in read) return read.value;
  errors.push(read.error);
  return ABSENT;
}

const listFiller =
  (fillers: readonly Filler[]): Filler =>
  (scope, errors) =>
    fillers.map((fill) => fill(scope, errors)).filter((value) => value !== ABSENT);

const objectFiller =
  (members: readonly (readonly [string, Filler])[]): Filler =>
  (scope, errors) => {
    const filled: { [name: string]: Json } = {};
    for (const [name, fill] of members) {
      const value = fill(scope, errors);
      if (value !== ABSENT) filled[name] = value;
    }
    return filled;
  };
