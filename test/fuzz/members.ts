import type { JsonSchema } from '../../kernel/contracts/index.ts';

type Path = readonly (string | number)[];

/** Deeper members are of documents that are checked as wholes. */
const DEPTH = 4;
/** Of texts with a pattern: the first that fits it. */
const WORDS = [
  'a',
  'aa',
  'A',
  '1',
  '1h',
  'a.b',
  '/a',
  'https://example.com',
  'forge_a',
  'acme/site',
  '@yearly',
  '0'.repeat(64),
];

const partsOf = (schema: JsonSchema): JsonSchema[] =>
  ['oneOf', 'anyOf', 'allOf'].flatMap((word) => (schema[word] as JsonSchema[] | undefined) ?? []);

/** Follows references within the whole schema. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema;
  let found: unknown = root;
  for (const step of $ref.slice(2).split('/')) found = (found as Record<string, unknown> | undefined)?.[step];
  return (found as JsonSchema | undefined) ?? {};
}

export interface Member {
  path: Path;
  schema: JsonSchema;
}

/** Every member that a body can have, with those within it. */
export function membersOf(root: JsonSchema): Member[] {
  const found = new Map<string, Member>();
  const visit = (given: JsonSchema, path: Path): void => {
    const schema = resolved(given, root);
    const key = path.join('\u0000');
    if (path.length > 0 && !found.has(key)) found.set(key, { path, schema });
    if (path.length >= DEPTH) return;
    for (const part of partsOf(schema)) visit(part, path);
    const { properties = {}, additionalProperties, items } = schema as Record<string, JsonSchema>;
    for (const [name, part] of Object.entries(properties)) visit(part as JsonSchema, [...path, name]);
    if (typeof additionalProperties === 'object') visit(additionalProperties, [...path, 'other']);
    if (typeof items === 'object') visit(items, [...path, 0]);
  };
  visit(root, []);
  return [...found.values()];
}

/** Something of that shape; whether a handler takes it is not known. */
function example(given: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const schema = resolved(given, root);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [part] = partsOf(schema);
  if (schema.type === undefined && part && depth < DEPTH) return example(part, root, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return exampleObject(schema, root, depth);
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : /^/;
  return WORDS.find((word) => pattern.test(word)) ?? 'a';
}

function exampleObject(schema: JsonSchema, root: JsonSchema, depth: number): object {
  const required = (schema.required ?? []) as string[];
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  if (depth >= DEPTH) return {};
  return Object.fromEntries(required.map((name) => [name, example(properties[name] ?? {}, root, depth + 1)]));
}

/** The texts just outside of what the schema allows, and just inside. */
export function bounds(schema: JsonSchema): string[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema as Record<string, number | undefined>;
  const numbers = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound, bound - 1, bound + 1]));
  const lengths = [minLength, maxLength].flatMap((bound) => (bound === undefined ? [] : [bound, bound + 1]));
  const texts = lengths
    .filter((length) => length <= 100_000)
    .flatMap((length) => ['x'.repeat(length), '🎉'.repeat(length)]);
  const listed = ((schema.enum ?? []) as unknown[]).map((one) => JSON.stringify(one));
  const long = maxItems !== undefined && maxItems < 5000 ? [JSON.stringify(Array(maxItems + 1).fill('a'))] : [];
  return [...numbers.map(String), ...texts.map((text) => JSON.stringify(text)), ...listed, ...long];
}

const HOLE = 'the-place-of-a-value-3f1c';

/** The JSON text of a body with another value at a place. What is not there on the way is made. */
export function withMember(body: unknown, root: JsonSchema, { path }: Member, value: string): string {
  const copy: unknown = structuredClone(body ?? {});
  const top = typeof copy === 'object' && copy !== null ? copy : {};
  let holder = top as Record<string | number, unknown>;
  path.slice(0, -1).forEach((step, at) => {
    const found = holder[step];
    if (typeof found !== 'object' || found === null) {
      const member = membersOf(root).find((one) => one.path.join('\u0000') === path.slice(0, at + 1).join('\u0000'));
      const made = example(member?.schema ?? {}, root);
      const list = typeof path[at + 1] === 'number';
      holder[step] = list ? [] : typeof made === 'object' && made !== null && !Array.isArray(made) ? made : {};
    }
    holder = holder[step] as typeof holder;
  });
  holder[path.at(-1)!] = HOLE;
  // A function, because the value may hold characters that mean something to `replace`.
  return JSON.stringify(top).replace(`"${HOLE}"`, () => value);
}
