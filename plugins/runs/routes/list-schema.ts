import type { JsonSchema } from '../../../kernel/contracts/index.ts';

/** `{<plural>: [...], next_cursor?}`. */
export function listSchema(plural: string, { $schema: _, ...item }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: [plural],
    properties: {
      [plural]: { type: 'array', items: item },
      next_cursor: { type: 'string', description: 'Absent on the last page.' },
    },
  };
}
