import type { JsonSchema } from '../../../kernel/contracts/index.ts';

/** Returns the schema of a query whose parameters are `true` or `false`. */
export const flagQuery = (flags: Readonly<Record<string, JsonSchema>>) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { type: 'string', enum: ['true', 'false'], ...flag }]),
  ),
});
