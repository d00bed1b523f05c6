/** What of JSON Schema the forms know. */
export interface Schema {
  type?: string | readonly string[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  if?: Schema;
  else?: Schema;
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** How a value is edited. */
export type Field =
  | { kind: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
  | { kind: 'choice'; choices: readonly unknown[] }
  | { kind: 'list'; of: Schema }
  | { kind: 'object'; members: readonly Member[]; more: Schema | undefined }
  | { kind: 'map'; of: Schema }
  | { kind: 'variants'; variants: readonly { title: string; schema: Schema }[] };

export interface Member {
  name: string;
  schema: Schema;
  required: boolean;
}

const MAX_REFERENCES = 16;

/** The schema that a reference into its own `$defs` names. */
export function resolved(schema: Schema, root: Schema): Schema {
  let now = schema;
  for (let n = 0; now.$ref !== undefined && n < MAX_REFERENCES; n++) {
    const name = /^#\/\$defs\/([^/]+)$/.exec(now.$ref)?.[1];
    const { $ref: _, ...rest } = now;
    now = { ...(name && root.$defs && Object.hasOwn(root.$defs, name) ? root.$defs[name] : {}), ...rest };
  }
  return now;
}

const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [] : ([type].flat() as string[]));
const isOpen = (schema: boolean | Schema | undefined): schema is Schema =>
  typeof schema === 'object' && schema !== null;

/** How a value of this schema is edited; JSON where the schema says too little or too much. */
export function fieldOf(given: Schema, root: Schema): Field {
  const schema = resolved(given, root);
  if (schema.enum) return { kind: 'choice', choices: schema.enum };
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variantsOf(variants, schema, root);
  // A text with a hole may become anything; without one the value is what `else` says.
  if (schema.if && schema.else) return fieldOf({ ...schema.else }, root);
  const types = typesOf(schema).filter((type) => type !== 'null');
  const [type] = types;
  // Of several types a text can say most: `30` and `true` are texts too.
  if (types.length > 1) return { kind: types.includes('object') ? 'json' : types.includes('string') ? 'text' : 'json' };
  if (type === 'string') return { kind: 'text' };
  if (type === 'number' || type === 'integer' || type === 'boolean') return { kind: type };
  if (type === 'array' && schema.items) return { kind: 'list', of: schema.items };
  if (type === 'object' || schema.properties) return objectOf(schema);
  return { kind: 'json' };
}

function objectOf(schema: Schema): Field {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const members = Object.entries(properties).map(([name, of]) => ({
    name,
    schema: of,
    required: required.includes(name),
  }));
  const further = isOpen(more) ? more : more === true ? {} : undefined;
  if (members.length > 0) return { kind: 'object', members, more: further };
  return further && typesOf(further).length > 0 ? { kind: 'map', of: further } : { kind: 'json' };
}

function variantsOf(variants: readonly Schema[], base: Schema, root: Schema): Field {
  const all = variants.map((one) => resolved(one, root));
  if (!all.every((one) => one.properties || one.type === 'object')) return { kind: 'json' };
  return {
    kind: 'variants',
    variants: all.map((schema, at) => ({
      title: schema.title ?? (schema.required?.join(', ') || `Form ${at + 1}`),
      schema: { ...schema, type: 'object', properties: { ...base.properties, ...schema.properties } },
    })),
  };
}

/** The variant that a value has: the one that knows most of its members. */
export function variantOf(variants: readonly { schema: Schema }[], value: unknown): number {
  const names = Object.keys(typeof value === 'object' && value !== null ? value : {});
  const fit = variants.map(({ schema: { properties = {}, required = [] } }) => {
    const known = names.filter((name) => Object.hasOwn(properties, name)).length;
    return known - required.filter((name) => !names.includes(name)).length;
  });
  return Math.max(0, fit.indexOf(Math.max(...fit)));
}

/** What a new value begins as. */
export function emptyOf(schema: Schema, root: Schema): unknown {
  const field = fieldOf(schema, root);
  if (field.kind === 'list') return [];
  if (field.kind === 'number' || field.kind === 'integer') return resolved(schema, root).minimum ?? 0;
  if (field.kind === 'boolean') return false;
  if (field.kind === 'choice') return field.choices[0];
  return field.kind === 'object' || field.kind === 'map' || field.kind === 'variants' ? {} : '';
}

/** Is it an expression? */
export const exprOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && '$expr' in value && typeof value.$expr === 'string'
    ? value.$expr
    : undefined;

/** `idempotency_key` → `Idempotency key`, `sourceAccount` → `Source account`. A name in capitals, such as `userID`, keeps them. */
export function labelOf(name: string, { title }: Schema = {}): string {
  const words =
    title ?? name.replaceAll('_', ' ').replace(/(?<=[a-z0-9])[A-Z](?![A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
