import type { Fault, JsonSchema } from '../../../../kernel/contracts/index.ts';
import { compileAtUse, type Validator } from './compile.ts';
import { UNKNOWN_MEMBER } from './validation-errors.ts';
import { suggestName } from './nearest.ts';
import { stepsOf } from './pointer.ts';

type Schema = { readonly [keyword: string]: unknown };

/** Keywords whose schemas apply to the same value as the surrounding schema. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'];
/** The maximum nesting of references and conditions, which also ends circular schemas. */
const MAX_NESTED = 16;

/** A validator that also suggests the right name for a misspelled member. The schema is compiled at the first use. */
export function validateWithSuggestions(schema: JsonSchema): Validator {
  const validate = compileAtUse(schema);
  return (value, options) => validate(value, options).map((error) => withSuggestion(schema, error));
}

/** Returns the members that a schema knows at a pointer; empty when it accepts any. */
export function membersAt(schema: JsonSchema, pointer: string): string[] {
  let at = sameValue(schema, schema);
  for (const step of stepsOf(pointer)) at = at.flatMap((subschema) => childSchemas(subschema, step, schema));
  return [...new Set(at.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])))];
}

function withSuggestion(schema: Schema, { pointer, message }: Fault): Fault {
  if (message !== UNKNOWN_MEMBER) return { pointer, message };
  const name = stepsOf(pointer).pop() ?? '';
  const members = membersAt(schema, pointer.slice(0, pointer.lastIndexOf('/')));
  const guess = suggestName(name, members);
  if (guess !== undefined) return { pointer, message: `${message}; did you mean ${guess}?` };
  return { pointer, message: members.length === 0 ? message : `${message}; known: ${members.join(', ')}` };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the schema and all schemas that it applies to the same value. */
function sameValue(schema: unknown, root: Schema, nested = 0): Schema[] {
  if (!isSchema(schema) || nested > MAX_NESTED) return [];
  const { $ref } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#/') ? [resolvePointer(root, $ref)] : [];
  const inner = [...referred, ...SAME_VALUE.flatMap((keyword) => schema[keyword] ?? [])];
  return [schema, ...inner.flatMap((subschema) => sameValue(subschema, root, nested + 1))];
}

function childSchemas({ properties, items, additionalProperties }: Schema, step: string, root: Schema): Schema[] {
  const property = isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return sameValue(property ?? (/^\d+$/.test(step) ? items : undefined) ?? additionalProperties, root);
}

const resolvePointer = (root: Schema, reference: string): unknown =>
  stepsOf(reference.slice(1)).reduce((at: unknown, step) => (isSchema(at) ? at[step] : undefined), root);
