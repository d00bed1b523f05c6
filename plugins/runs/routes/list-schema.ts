import type { JsonSchema } from '../../../kernel/contracts/index.ts';

/** `{<plural>: [...], next_cursor?}`. */
export function listSchema(plural: string, item: JsonSchema): JsonSchema {
  const items = Object.fromEntries(Object.entries(item).filter(([keyword]) => keyword !== '$schema'));
  return {
    type: 'object',
    additionalProperties: false,
    required: [plural],
    properties: {
      [plural]: { type: 'array', items },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
  };
}
