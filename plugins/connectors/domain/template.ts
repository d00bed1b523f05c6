import type { Expressions, Fault } from '../../../kernel/contracts/index.ts';
import type { ManifestFault } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { isNumber, pointerTo } from '../../schema/contract.ts';
import { splitHoles } from '../../graphs/contract.ts';
import { compileHole, type Declared, type Hole, readHole } from './hole.ts';
import { ABSENT, type ActionScope } from './scope.ts';

/** Fills a template. What cannot be filled is noted in `faults` and left out. */
export type Filler<T = Json> = (scope: ActionScope, faults: Fault[]) => T | typeof ABSENT;

export type TextPiece = { literal: string } | { hole: Hole };

/** Compiles the templates of one action and notes what is wrong with them, with pointers into the manifest. */
export class TemplateCompiler {
  readonly faults: ManifestFault[] = [];
  readonly #declared: Declared;
  readonly #expressions: Expressions;

  constructor(declared: Declared, expressions: Expressions) {
    this.#declared = declared;
    this.#expressions = expressions;
  }

  say(pointer: string, rule: string, message: string, fix: string): void {
    this.faults.push({ pointer, rule, message, fix });
  }

  /** Any JSON with holes and `$map`. */
  json(template: Json, pointer: string): Filler {
    if (typeof template === 'string') return this.#string(template, pointer);
    if (Array.isArray(template)) return listFiller(template.map((one, at) => this.json(one, pointerTo(pointer, at))));
    if (typeof template !== 'object' || template === null || isNumber(template)) return () => template;
    if (Object.hasOwn(template, '$map')) return this.#choice(template.$map as unknown as Choice, `${pointer}/$map`);
    const members = Object.entries(template).map(
      ([name, one]) => [name, this.json(one, pointerTo(pointer, name))] as const,
    );
    return objectFiller(members);
  }

  /** A text with holes: the result is a text. */
  text(template: Json, pointer: string): Filler<string> {
    const fill = this.json(template, pointer);
    return (scope, faults) => {
      const value = fill(scope, faults);
      return value === ABSENT ? ABSENT : textOf(value);
    };
  }

  /** The parts of a text. Undefined when a hole is faulty. */
  pieces(template: string, pointer: string): TextPiece[] | undefined {
    const split = splitHoles(template);
    if ('message' in split) {
      const place = `line ${split.line}, column ${split.column}: ${split.message}`;
      this.say(pointer, 'hole_form', place, "write {{ input.text }}; the two characters themselves are {{ '{{' }}");
      return undefined;
    }
    const say = (rule: string, message: string, fix: string) => this.say(pointer, rule, message, fix);
    const pieces = split.parts.map((part) => {
      if (typeof part === 'string') return { literal: part };
      const hole = compileHole(part.expr, this.#declared, this.#expressions, say);
      return hole && { hole };
    });
    return pieces.every((one) => one !== undefined) ? pieces : undefined;
  }

  #string(template: string, pointer: string): Filler {
    const pieces = this.pieces(template, pointer) ?? [];
    for (const piece of pieces)
      if ('hole' in piece && piece.hole.form === 'path')
        this.say(pointer, 'path_in_url', 'path(…) belongs into the path of the url', 'write the value without path(…)');
    const [first] = pieces;
    if (pieces.length === 1 && first && 'hole' in first) return (scope, faults) => valueIn(first.hole, scope, faults);
    return (scope, faults) => {
      let text = '';
      for (const piece of pieces) {
        const value = 'literal' in piece ? piece.literal : valueIn(piece.hole, scope, faults);
        if (value === ABSENT) return ABSENT;
        text += textOf(value);
      }
      return text;
    };
  }

  #choice({ on, cases, default: otherwise }: Choice, pointer: string): Filler {
    const chosen = this.text(on, `${pointer}/on`);
    const fillers = new Map(
      Object.entries(cases).map(([name, one]) => [name, this.json(one, pointerTo(`${pointer}/cases`, name))]),
    );
    const fallback = otherwise === undefined ? () => ABSENT : this.json(otherwise, `${pointer}/default`);
    return (scope, faults) => {
      const value = chosen(scope, faults);
      const filler = (value === ABSENT ? undefined : fillers.get(value)) ?? fallback;
      return (filler as Filler)(scope, faults);
    };
  }
}

interface Choice {
  on: string;
  cases: { readonly [name: string]: Json };
  default?: Json;
}

/** A text as it is, anything else as JSON. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function valueIn(hole: Hole, scope: ActionScope, faults: Fault[]): Json | typeof ABSENT {
  const read = readHole(hole, scope);
  if (read === ABSENT) return ABSENT;
  if ('value' in read) return read.value;
  faults.push(read.fault);
  return ABSENT;
}

const listFiller =
  (fillers: readonly Filler[]): Filler =>
  (scope, faults) =>
    fillers.map((fill) => fill(scope, faults)).filter((value) => value !== ABSENT);

const objectFiller =
  (members: readonly (readonly [string, Filler])[]): Filler =>
  (scope, faults) => {
    const filled: { [name: string]: Json } = {};
    for (const [name, fill] of members) {
      const value = fill(scope, faults);
      if (value !== ABSENT) filled[name] = value;
    }
    return filled;
  };
