/*
 * The inputs that a workflow declares, as its author wrote them. This needs no validator, so that the command line reads a
 * file without loading one.
 */
import type { JsonSchema } from '../../../../kernel/contracts/index.ts';
import { checkFieldName, expandShape, ShapeError } from './shape.ts';

/** The declaration of a script, or why it cannot be read, with its place in the source. */
export type ScriptInputs = { line: number; column: number } & ({ declared: unknown } | { problem: string });

/** A declaration stands near the beginning of a script. */
const MAX_LINE = 200;
/** A comment of any language, with what it says. */
const COMMENT = /^[ \t]*(#+|\/\/+|\/\*+|\*|--+|;+|%+)([ \t]*)(.*)$/;
const MARK = /^svc:inputs?(?![\w-])[ \t]*:?[ \t]*(.*)$/;

interface Comment {
  sign: string;
  /** The number of spaces before the text. */
  indent: number;
  text: string;
}

function readComment(line: string): Comment | undefined {
  const [, sign, space = '', text = ''] = COMMENT.exec(line) ?? [];
  if (sign === undefined) return undefined;
  return {
    sign: sign.startsWith('/*') ? '*' : sign,
    indent: space.length,
    text: text.replace(/\*+\/\s*$/, '').trimEnd(),
  };
}

/**
 * Finds the declaration `svc:inputs` in the comments at the beginning of a script, whatever its language: fields or JSON on
 * the same line, or one field on each of the following, deeper indented lines.
 */
export function findScriptInputs(source: string): ScriptInputs | undefined {
  if (!source.includes('svc:input')) return undefined;
  const lines = source.split(/\r\n|\r|\n/, MAX_LINE);
  for (const [at, line] of lines.entries()) {
    const comment = readComment(line);
    const [found, rest = ''] = (comment && MARK.exec(comment.text)) ?? [];
    if (comment === undefined || found === undefined) continue;
    const position = { line: at + 1, column: line.indexOf('svc:input') + 1 };
    if (!found.startsWith('svc:inputs')) return { ...position, problem: 'write `svc:inputs`' };
    return { ...position, ...readDeclaration(rest, comment, lines.slice(at + 1)) };
  }
  return undefined;
}

function readDeclaration(
  rest: string,
  { sign, indent }: Comment,
  following: readonly string[],
): { declared: unknown } | { problem: string } {
  const below: string[] = [];
  for (const line of following) {
    const comment = readComment(line);
    const continues = rest === '' ? (comment?.indent ?? 0) > indent : isOpenJson([rest, ...below]);
    if (comment === undefined || comment.sign !== sign || !continues || comment.text === '') break;
    below.push(comment.text);
  }
  if (rest !== '') return { declared: [rest, ...below].join('\n') };
  if (below.length === 0)
    return { problem: 'names no inputs: write `svc:inputs service: string, replicas: integer = 1`' };
  if (below[0]!.startsWith('{')) return { declared: below.join('\n') };
  try {
    return { declared: Object.fromEntries(below.map(readField)) };
  } catch (error) {
    if (error instanceof ShapeError) return { problem: error.message };
    throw error;
  }
}

function isOpenJson(texts: readonly string[]): boolean {
  if (!texts[0]!.startsWith('{')) return false;
  try {
    JSON.parse(texts.join('\n'));
    return false;
  } catch {
    return true;
  }
}

/** `replicas: integer = 3`, or `env: {"enum": ["test", "live"]}`. */
function readField(text: string): [string, unknown] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new ShapeError(`${JSON.stringify(text.slice(0, 60))} is not <field>: <type>`);
  const [name, type] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  if (!type.startsWith('{')) return [name, type];
  try {
    return [name, JSON.parse(type)];
  } catch (error) {
    throw new ShapeError(`the schema of ${name} is not JSON: ${(error as Error).message}`);
  }
}

/** The JSON Schema of declared inputs, which are the members of an object. Throws `ShapeError`. */
export function expandInputs(declared: unknown): JsonSchema {
  const schema = expandShape(declared);
  for (const name of Object.keys(schema.properties ?? {})) checkFieldName(name);
  if (schema.type === 'object') return schema;
  if (schema.type === undefined && typeof schema.properties === 'object') return { type: 'object', ...schema };
  throw new ShapeError(
    'must describe an object: write fields with their types, or a JSON Schema with `type: object` and `properties`',
  );
}
