import type { Fault, JsonSchema } from '../../../kernel/contracts/index.ts';
import { compileAtUse, type Validator } from './compile.ts';
import { UNKNOWN_MEMBER } from './faults.ts';
import { meant } from './nearest.ts';
import { stepsOf } from './pointer.ts';

type Schema = { readonly [keyword: string]: unknown };

/** Keywords whose schemas are of the same value as the surrounding one. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'];
/** References and conditions within each other. A schema that goes in circles ends here. */
const MAX_NESTED = 16;

/** All faults of a value by a schema, which is compiled at the first one, with what was probably meant by each misspelt member. */
export function faultsBy(schema: JsonSchema): Validator {
  const validate = compileAtUse(schema);
  return (value, options) => validate(value, options).map((fault) => suggested(schema, fault));
}

/** Members that a schema knows at a pointer; empty where it takes any. */
export function membersAt(schema: JsonSchema, pointer: string): string[] {
  let at = sameValue(schema, schema);
  for (const step of stepsOf(pointer)) at = at.flatMap((one) => below(one, step, schema));
  return [...new Set(at.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])))];
}

function suggested(schema: Schema, { pointer, message }: Fault): Fault {
  if (message !== UNKNOWN_MEMBER) return { pointer, message };
  const name = stepsOf(pointer).pop() ?? '';
  const known = membersAt(schema, pointer.slice(0, pointer.lastIndexOf('/')));
  const guess = meant(name, known);
  if (guess !== undefined) return { pointer, message: `${message}; did you mean ${guess}?` };
  return { pointer, message: known.length === 0 ? message : `${message}; known: ${known.join(', ')}` };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema, and all that it refers to for the same value. */
function sameValue(schema: unknown, root: Schema, nested = 0): Schema[] {
  if (!isSchema(schema) || nested > MAX_NESTED) return [];
  const { $ref } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#/') ? [partAt(root, $ref)] : [];
  const inner = [...referred, ...SAME_VALUE.flatMap((keyword) => schema[keyword] ?? [])];
  return [schema, ...inner.flatMap((one) => sameValue(one, root, nested + 1))];
}

function below({ properties, items, additionalProperties }: Schema, step: string, root: Schema): Schema[] {
  const own = isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return sameValue(own ?? (/^\d+$/.test(step) ? items : undefined) ?? additionalProperties, root);
}

const partAt = (root: Schema, reference: string): unknown =>
  stepsOf(reference.slice(1)).reduce((at: unknown, step) => (isSchema(at) ? at[step] : undefined), root);
