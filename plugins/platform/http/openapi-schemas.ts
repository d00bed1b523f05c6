import type { JsonSchema } from '../../../kernel/contracts/index.ts';

/** Copies a schema without `$schema` and `$id`, and rewrites its local references to where their targets now are. */
function rebase(value: unknown, base: string, moved?: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(item, base, moved));
  if (typeof value !== 'object' || value === null) return value;
  const copied = Object.entries(value)
    .filter(([key]) => key !== '$schema' && key !== '$id')
    .map(([key, member]) => {
      const local = key === '$ref' && typeof member === 'string' && member.startsWith('#');
      return [key, local ? (moved?.get(member) ?? `${base}${member.slice(1)}`) : rebase(member, base, moved)];
    });
  return Object.fromEntries(copied);
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/** Returns the names of the definitions that a schema refers to, directly or through others. */
function referencedNames(schema: unknown, definitions: Definitions, used = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g)) {
    if (used.has(name) || !Object.hasOwn(definitions, name)) continue;
    used.add(name);
    referencedNames(definitions[name], definitions, used);
  }
  return used;
}

/** Makes a definition self-contained by adding the definitions that it refers to. */
function withDefinitions(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const used = referencedNames(schema, definitions);
  if (used.size === 0) return schema;
  return { ...schema, $defs: Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name))) };
}

/** The named schemas of a document: equal schemas share a name, different ones never do. */
export class SchemaRegistry {
  readonly schemas: Record<string, unknown> = {};
  readonly #texts = new Map<string, string>();

  /** Registers a schema under its title or the given name, and returns a reference to it. */
  register(schema: JsonSchema, fallback: string): { $ref: string } {
    const title = (typeof schema.title === 'string' ? schema.title : fallback).replace(/[^A-Za-z0-9._-]/g, '');
    const text = JSON.stringify(schema);
    for (const name of [title, fallback]) {
      const existing = this.#texts.get(name);
      if (existing !== undefined && existing !== text) continue;
      this.#texts.set(name, text);
      // It is registered before its definitions are copied, because one of them may refer to it.
      if (existing === undefined) this.schemas[name] = this.#copy(schema, name);
      return { $ref: `#/components/schemas/${name}` };
    }
    throw new Error(`two API schemas are called ${title} and ${fallback}`);
  }

  /** Definitions with a title become schemas of the document, so that several schemas can share one. */
  #copy(schema: JsonSchema, name: string): unknown {
    const { $defs = {}, ...rest } = schema as { $defs?: Definitions };
    const shared = Object.entries($defs).filter(([, { title }]) => title !== undefined);
    if (shared.length === 0) return rebase(schema, `#/components/schemas/${name}`);
    const moved = shared.map(([key, definition]) => {
      const { $ref } = this.register(withDefinitions(definition, $defs), `${name}.${key}`);
      return [`#/$defs/${key}`, $ref] as const;
    });
    const untitled = Object.fromEntries(Object.entries($defs).filter(([, { title }]) => title === undefined));
    return rebase({ ...rest, $defs: untitled }, `#/components/schemas/${name}`, new Map(moved));
  }

  /** Returns the schema itself, for places where a reference makes no sense. */
  inline(schema: JsonSchema): unknown {
    return rebase(schema, '#');
  }
}
