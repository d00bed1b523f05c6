type Schema = { readonly [keyword: string]: unknown };

/** A schema is not applied to these values. Their form is checked with the other expressions. */
const IS_EXPRESSION: Schema = { type: 'object', required: ['$expr'] };
/** Keywords that contain schemas, grouped by their form. */
const IN_MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const IN_LISTS = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const SINGLE = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
/** Keywords whose schemas apply to members or items, not to the surrounding value. */
const MEMBER_KEYWORDS = new Set(['properties', 'patternProperties', 'prefixItems', 'items', 'additionalProperties']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of a config in which any value may be `{"$expr": …}` instead. */
export function orExpression(schema: Schema): Schema {
  const transform = (keyword: string, value: unknown): unknown => {
    if (!isSchema(value)) return value;
    const inner = orExpression(value);
    if (!MEMBER_KEYWORDS.has(keyword)) return inner;
    return { if: IS_EXPRESSION, else: inner };
  };
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (SINGLE.includes(keyword)) return [keyword, transform(keyword, value)];
    if (IN_LISTS.includes(keyword) && Array.isArray(value))
      return [keyword, value.map((one) => transform(keyword, one))];
    if (IN_MAPS.includes(keyword) && isSchema(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, transform(keyword, one)]))];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}
