import { FAN_OUT } from '../domain/graph.ts';
import type { GraphNodeType } from '../contract.ts';
import { ITEM_OPTIONS, itemProperties } from './item-list.ts';
import { validateLiterals } from './literals.ts';

/** Runs a node for each item in a list. It is lowered together with that node. */
export const fanOut: GraphNodeType = {
  type: FAN_OUT,
  title: 'Runs a node for each item in a list',
  config: {
    type: 'object',
    required: ['items', 'node'],
    properties: {
      ...itemProperties(50_000),
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
      ...ITEM_OPTIONS,
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
