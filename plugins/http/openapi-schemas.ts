import type { JsonSchema } from '../../kernel/contracts/index.ts';

/** Copies a schema without `$schema` and `$id`, with its local references moved to where what they name now lies. */
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

/** The names of definitions that a schema refers to, also by way of others. */
function usedBy(schema: unknown, definitions: Definitions, used = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g)) {
    if (used.has(name) || !Object.hasOwn(definitions, name)) continue;
    used.add(name);
    usedBy(definitions[name], definitions, used);
  }
  return used;
}

/** A definition that takes along those that it refers to. */
function standingAlone(part: JsonSchema, definitions: Definitions): JsonSchema {
  const used = usedBy(part, definitions);
  if (used.size === 0) return part;
  return { ...part, $defs: Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name))) };
}

/** The named schemas of a document: equal schemas share a name, different ones never do. */
export class SchemaShelf {
  readonly schemas: Record<string, unknown> = {};
  readonly #texts = new Map<string, string>();

  /** A reference to the schema by its title, or by the given name. */
  put(schema: JsonSchema, fallback: string): { $ref: string } {
    const wanted = (typeof schema.title === 'string' ? schema.title : fallback).replace(/[^A-Za-z0-9._-]/g, '');
    const text = JSON.stringify(schema);
    for (const name of [wanted, fallback]) {
      const held = this.#texts.get(name);
      if (held !== undefined && held !== text) continue;
      this.#texts.set(name, text);
      // Known before its parts are: one of them may refer to it.
      if (held === undefined) this.schemas[name] = this.#copy(schema, name);
      return { $ref: `#/components/schemas/${name}` };
    }
    throw new Error(`two schemas of the interface are called ${wanted} and ${fallback}`);
  }

  /** Definitions with a title are schemas of their own: those who share one refer to one. */
  #copy(schema: JsonSchema, name: string): unknown {
    const { $defs = {}, ...rest } = schema as { $defs?: Definitions };
    const shared = Object.entries($defs).filter(([, { title }]) => title !== undefined);
    if (shared.length === 0) return rebase(schema, `#/components/schemas/${name}`);
    const moved = shared.map(([key, part]) => {
      const { $ref } = this.put(standingAlone(part, $defs), `${name}.${key}`);
      return [`#/$defs/${key}`, $ref] as const;
    });
    const own = Object.fromEntries(Object.entries($defs).filter(([, { title }]) => title === undefined));
    return rebase({ ...rest, $defs: own }, `#/components/schemas/${name}`, new Map(moved));
  }

  /** For places where a reference has no use. */
  inline(schema: JsonSchema): unknown {
    return rebase(schema, '#');
  }
}
