type Schema = { readonly [keyword: string]: unknown };

/** What the schema of a value is not applied to. Its form is checked with the expressions. */
const IS_EXPRESSION: Schema = { type: 'object', required: ['$expr'] };
/** Keywords that hold schemas of values, by how they hold them. */
const IN_MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const IN_LISTS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const SINGLE = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
/** Those whose schemas are of other values than the surrounding one. */
const OF_PARTS = new Set(['properties', 'patternProperties', 'prefixItems', 'items', 'additionalProperties']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of a config in which any value may be `{"$expr": …}` instead. */
export function orExpression(schema: Schema): Schema {
  const deep = (keyword: string, value: unknown): unknown => {
    if (!isSchema(value)) return value;
    const inner = orExpression(value);
    if (!OF_PARTS.has(keyword)) return inner;
    return { if: IS_EXPRESSION, else: inner };
  };
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SINGLE.includes(keyword)) return [keyword, deep(keyword, value)];
    if (IN_LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map((one) => deep(keyword, one))];
    if (IN_MAPS.includes(keyword) && isSchema(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deep(keyword, one)]))];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}
