import { FAN_OUT } from '../domain/graph.ts';
import type { GraphNodeType } from '../contract.ts';
import { validateLiterals } from './literals.ts';

/** Runs a node for each item in a list. It is lowered together with that node. */
export const fanOut: GraphNodeType = {
  type: FAN_OUT,
  title: 'Runs a node for each item in a list',
  config: {
    type: 'object',
    required: ['items', 'node'],
    properties: {
      items: {
        type: ['array', 'string'],
        minLength: 1,
        maxItems: 50_000,
        description: 'A list, or CEL that returns one.',
      },
      node: {
        type: 'object',
        required: ['type'],
        additionalProperties: false,
        properties: {
          type: { type: 'string' },
          config: { type: 'object', additionalProperties: true },
        },
        description: 'The node to run for each item; its expressions can use `item` and `index`.',
      },
      concurrency: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of items at a time; default 16.',
      },
      finish_all: { type: 'boolean', description: 'If an item fails, the others continue; the node fails at the end.' },
    },
  },
  expressions: ['items'],
  faults: (config) => [
    ...validateLiterals(config, ['concurrency', 'finish_all']),
    ...(isExpression(config.node)
      ? [{ pointer: '/node', message: 'must be a literal value; it cannot be computed' }]
      : []),
  ],
};

const isExpression = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '$expr');
