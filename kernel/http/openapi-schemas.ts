import type { JsonSchema } from '../contracts/index.ts';

/** Copies a schema without `$schema` and `$id`, with its local references moved to where it now lies. */
function rebase(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => rebase(item, base));
  if (typeof value !== 'object' || value === null) return value;
  const copied = Object.entries(value)
    .filter(([key]) => key !== '$schema' && key !== '$id')
    .map(([key, member]) => {
      const local = key === '$ref' && typeof member === 'string' && member.startsWith('#');
      return [key, local ? `${base}${member.slice(1)}` : rebase(member, base)];
    });
  return Object.fromEntries(copied);
}

/** The named schemas of a document: equal ones share a name, different ones never do. */
export class SchemaShelf {
  readonly schemas: Record<string, unknown> = {};
  readonly #texts = new Map<string, string>();

  /** A reference to the schema, under its title or else the name given. */
  put(schema: JsonSchema, fallback: string): { $ref: string } {
    const wanted = (typeof schema.title === 'string' ? schema.title : fallback).replace(/[^A-Za-z0-9._-]/g, '');
    const text = JSON.stringify(schema);
    for (const name of [wanted, fallback]) {
      const held = this.#texts.get(name);
      if (held !== undefined && held !== text) continue;
      this.#texts.set(name, text);
      this.schemas[name] ??= rebase(schema, `#/components/schemas/${name}`);
      return { $ref: `#/components/schemas/${name}` };
    }
    throw new Error(`two schemas of the interface are called ${wanted} and ${fallback}`);
  }

  /** For places where a name would only be in the way. */
  inline(schema: JsonSchema): unknown {
    return rebase(schema, '#');
  }
}
