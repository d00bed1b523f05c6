import type { JsonSchema } from '../../../../kernel/contracts/index.ts';

/** Thrown for a short form that cannot be read. The message says where and why. */
export class ShapeError extends Error {}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'];
/** Types that are a string with a format, which forms draw as fields of their own. */
const FORMATS: Readonly<Record<string, string>> = { text: 'textarea', date: 'date', email: 'email', url: 'uri' };
/** Members that only a JSON Schema has. `type` counts when its value is the name of a type. */
const SCHEMA_MEMBERS = ['$schema', '$ref', 'properties', 'anyOf', 'oneOf', 'allOf'];
const FIELD = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const MAX_FIELDS = 100;

/** Numbers with an exact spelling and the binary data of YAML are objects of classes. */
function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Throws `ShapeError` for the name of a member that every object has. A validator finds it in a value that lacks it, so a
 * field of this name could be neither left out nor filled with a default.
 */
export function checkFieldName(name: string): void {
  if (name in Object.prototype) throw new ShapeError(`a field cannot have the name ${name}`);
}

const isSchema = (shape: Record<string, unknown>): boolean =>
  SCHEMA_MEMBERS.some((member) => member in shape) || TYPES.includes(String(shape.type));

/**
 * A JSON Schema from what people write: a JSON Schema itself; fields with their types, as in
 * `{amount: number, 'note?': string, env: {enum: [test, live], default: test}}`; or the same as one text,
 * `amount: number, note?: string, env: test|live = test`. A field is required unless its name ends with `?` or it has a
 * default, and other fields are rejected. Throws `ShapeError`.
 */
export function expandShape(shape: unknown): JsonSchema {
  if (typeof shape === 'string') return expandText(shape);
  if (!isObject(shape)) throw new ShapeError('must be a JSON Schema, or fields with their types');
  return isSchema(shape) ? (shape as JsonSchema) : toSchema(Object.entries(shape));
}

function expandText(text: string): JsonSchema {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(trimmed);
    } catch (error) {
      throw new ShapeError(`is not JSON: ${(error as Error).message}`);
    }
    return expandShape(parsed);
  }
  const fields = trimmed.split(',').map((field): [string, unknown] => {
    const colon = field.indexOf(':');
    if (colon < 0) throw new ShapeError(`${quoted(field.trim())} is not <field>: <type>`);
    return [field.slice(0, colon).trim(), field.slice(colon + 1).trim()];
  });
  return toSchema(fields);
}

function toSchema(fields: readonly (readonly [string, unknown])[]): JsonSchema {
  if (fields.length === 0) throw new ShapeError('has no fields');
  if (fields.length > MAX_FIELDS) throw new ShapeError(`has ${fields.length} fields; the limit is ${MAX_FIELDS}`);
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [written, type] of fields) {
    const optional = written.endsWith('?');
    const name = optional ? written.slice(0, -1) : written;
    if (!FIELD.test(name)) throw new ShapeError(`${quoted(written)} is not a valid field name`);
    checkFieldName(name);
    if (Object.hasOwn(properties, name)) throw new ShapeError(`has the field ${name} twice`);
    const { required: is_required, ...property } = toProperty(name, type);
    properties[name] = property;
    // Other systems say it in the field itself.
    if (typeof is_required === 'boolean' ? is_required : !optional && !('default' in property)) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

function toProperty(name: string, type: unknown): JsonSchema {
  if (typeof type === 'string') return readType(name, type);
  if (isObject(type)) {
    const { type: written, ...rest } = type;
    // A list of types is left to the validator.
    return typeof written === 'string' ? { ...readType(name, written), ...rest } : (type as JsonSchema);
  }
  throw new ShapeError(`the type of ${name} must be a name such as string, or a JSON Schema`);
}

/** `number`, `test|live`, `integer = 5`. */
function readType(name: string, text: string): JsonSchema {
  const equals = text.indexOf('=');
  const type = (equals < 0 ? text : text.slice(0, equals)).trim();
  const schema = readTypeName(name, type);
  if (equals < 0) return schema;
  return { ...schema, default: readDefault(name, schema, text.slice(equals + 1).trim()) };
}

function readTypeName(name: string, type: string): JsonSchema {
  if (TYPES.includes(type)) return { type };
  const format = FORMATS[type];
  if (format !== undefined) return { type: 'string', format };
  const choices = type.split('|').map((choice) => choice.trim());
  if (choices.length > 1 && choices.every((choice) => choice !== '')) return { type: 'string', enum: choices };
  const types = [...TYPES, ...Object.keys(FORMATS)].join(', ');
  throw new ShapeError(`${quoted(type)} is not a type of ${name}: use ${types}, or choices such as test|live`);
}

function readDefault(name: string, { type, enum: choices }: JsonSchema, text: string): unknown {
  if (Array.isArray(choices) && !choices.includes(text))
    throw new ShapeError(`the default of ${name} is not one of its choices`);
  return type === 'string' ? text : readTyped(name, String(type), text);
}

/** A value that was typed in a field or a flag. Throws `ShapeError`. */
function readTyped(name: string, type: string, text: string): unknown {
  const error = new ShapeError(`${quoted(text)} is not a valid ${type} for ${name}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw error;
  }
  const fits = {
    number: typeof value === 'number',
    integer: Number.isInteger(value),
    boolean: typeof value === 'boolean',
    array: Array.isArray(value),
    object: isObject(value),
  }[type];
  if (fits !== true) throw error;
  return value;
}

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
