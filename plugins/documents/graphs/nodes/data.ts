import { isReserved, validateEventKey, validateEventType } from '../../../events/bus/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { validateLiterals } from './literals.ts';

const ANY = {};

/** `{values}` is its output. */
const set: GraphNodeType = {
  type: 'set',
  title: 'Values for other nodes',
  config: {
    type: 'object',
    required: ['values'],
    properties: { values: { ...ANY, description: 'Any JSON: the output of the node.' } },
  },
};

const condition: GraphNodeType = {
  type: 'condition',
  title: 'Takes one of two paths, depending on an expression',
  config: {
    type: 'object',
    required: ['if'],
    properties: {
      if: { type: ['string', 'boolean'], minLength: 1, description: 'A CEL expression that returns true or false.' },
    },
  },
  expressions: ['if'],
  cases: () => [true, false],
};

const choice: GraphNodeType = {
  type: 'switch',
  title: 'Takes one of several paths, depending on a value',
  config: {
    type: 'object',
    required: ['on', 'cases'],
    properties: {
      on: {
        type: 'string',
        minLength: 1,
        description: 'A CEL expression. Its value, as text, is compared with the cases.',
      },
      cases: {
        type: 'array',
        minItems: 1,
        maxItems: 256,
        uniqueItems: true,
        items: { type: 'string', maxLength: 255, not: { const: 'default' } },
        description: "An edge's `when` is one of them, or `default`.",
      },
    },
  },
  expressions: ['on'],
  faults: (config) => validateLiterals(config, ['cases']),
  cases: ({ cases }) => [...(Array.isArray(cases) ? cases.filter((one) => typeof one === 'string') : []), 'default'],
};

const emit: GraphNodeType = {
  type: 'emit',
  title: 'Emits an event',
  config: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { type: 'string', description: 'Type of the event.' },
      key: { type: ['string', 'null'], description: 'Its subject. Without a subject, the event is a broadcast.' },
      payload: { ...ANY, description: 'Any JSON.' },
    },
  },
  faults({ type, key }) {
    const type_error = typeof type === 'string' ? (validateEventType(type) ?? validateNotReserved(type)) : undefined;
    const key_error = typeof key === 'string' ? validateEventKey(key) : undefined;
    return [
      ...(type_error === undefined ? [] : [{ pointer: '/type', message: type_error }]),
      ...(key_error === undefined ? [] : [{ pointer: '/key', message: key_error }]),
    ];
  },
  emits: ({ type }) => (typeof type === 'string' ? [type] : []),
};

const validateNotReserved = (type: string) =>
  isReserved(type) ? 'is a type that only the service can emit' : undefined;

export const dataNodes: readonly GraphNodeType[] = [set, condition, choice, emit];
