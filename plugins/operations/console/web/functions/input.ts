import { emptyOf, fieldOf, type Schema } from '../graphs/editor/schema-fields.ts';

/** The value without a member, or with it. An object that becomes empty stays, because the schema wants one. */
export function withMember(value: unknown, name: string, now: unknown): Record<string, unknown> {
  const before = isObject(value) ? value : {};
  const others = Object.entries(before).filter(([key]) => key !== name);
  return Object.fromEntries(now === undefined ? others : [...Object.entries(before), [name, now]]);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the form of an input begins with: the defaults of the schema, and whatever it demands that has only one beginning. */
export function firstInput(schema: Schema & { default?: unknown }, root: Schema = schema): unknown {
  if (schema.default !== undefined) return schema.default;
  const field = fieldOf(schema, root);
  if (field.kind !== 'object') return field.kind === 'boolean' ? emptyOf(schema, root) : undefined;
  const members = field.members.flatMap(({ name, schema: of, required }): [string, unknown][] => {
    const first = required || (of as { default?: unknown }).default !== undefined ? firstInput(of, root) : undefined;
    return first === undefined ? [] : [[name, first]];
  });
  return Object.fromEntries(members);
}
