import type { JsonSchema } from '../../../../kernel/contracts/index.ts';

/** Resolves references to files, `{ "$ref": "…/runs/schema/workflow.schema.json" }`, by adding the schemas as definitions. */
export function withDefinitions(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const local = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(local);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const [, name] = key === '$ref' ? (/([^/]+)\.schema\.json$/.exec(String(item)) ?? []) : [];
        return [key, name === undefined ? local(item) : `#/$defs/${name}`];
      }),
    );
  };
  return { ...(local(schema) as JsonSchema), $defs: definitions };
}
