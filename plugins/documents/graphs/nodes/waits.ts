import { type Expressions, type Fault, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import { readPredicate, validateAnyWait, validateEventType } from '../../../events/bus/contract.ts';
import { type FlowNodeType, flowConfigInvalid } from '../../../engine/flows/contract.ts';
import { describeErrors } from '../../../platform/schema/contract.ts';
import {
  MAX_BRANCHES,
  needsPerson,
  type WrittenTerms,
  type Json,
  readTerms,
  RESERVED_SIGNALS,
  validateSignalName,
} from '../../../engine/runs/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { validateDuration } from '../domain/validate-duration.ts';

const DURATION = { type: 'string', description: 'A duration: `30s`, `2h`, `7d`.' };
const TIMEOUT = { ...DURATION, description: 'After this time the node fails with `wait_timeout`.' };

const errorsAt = (pointer: string, message: string | undefined): Fault[] =>
  message === undefined ? [] : [{ pointer, message }];

const validateDurationAt = (member: string, value: Json | undefined, min_ms: number): Fault[] =>
  errorsAt(`/${member}`, typeof value === 'string' ? validateDuration(value, min_ms) : undefined);

/** The terms that a document states as they are. What an expression makes of them is checked when the node begins. */
const writtenTerms = (terms: Readonly<Record<string, Json | undefined>>): WrittenTerms =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => !hasExpression(value)));

const isExpression = (value: Json): boolean =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && '$expr' in value;

const hasExpression = (value: Json | undefined): boolean => {
  if (typeof value === 'string') return value.includes('{{');
  if (value === null || typeof value !== 'object') return false;
  return '$expr' in value || Object.values(value).some(hasExpression);
};

const delay: GraphNodeType = {
  type: 'delay',
  title: 'Waits for a time',
  config: { type: 'object', required: ['for'], properties: { for: DURATION } },
  faults: ({ for: time }) => validateDurationAt('for', time, 0),
  lower: (config) => ({ type: 'graph.delay', config: { ...config } }),
};

const waitSignal: GraphNodeType = {
  type: 'wait_signal',
  title: 'Waits for a signal from a person or a program',
  config: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'Name of the signal; its payload is the output.' },
      message: { type: 'string', description: 'The question for the person.' },
      form: {
        type: ['string', 'object'],
        description:
          "The answer's fields: `amount: number, env: test|live = test, note?: text`, the same as an object, or a JSON Schema.",
      },
      approvers: {
        type: ['string', 'array'],
        items: { type: 'string' },
        description:
          'Who can answer: usernames, and the roles `member`, `admin` and `owner`. By default, every member.',
      },
      timeout: TIMEOUT,
    },
  },
  faults: ({ name, timeout, ...terms }) => [
    ...errorsAt('/name', typeof name === 'string' ? validateSignalName(name) : undefined),
    ...validateDurationAt('timeout', timeout, 1),
    ...readTerms(writtenTerms(terms)).faults,
  ],
  lower: (config) => ({ type: 'graph.wait_signal', config: { ...config } }),
};

const event: GraphNodeType = {
  type: 'event',
  title: 'Waits for an event',
  config: {
    type: 'object',
    required: ['event'],
    properties: {
      event: { type: 'string', description: 'Type of the event; the whole envelope is the output.' },
      when: {
        type: 'string',
        minLength: 1,
        description: "A CEL expression over `event` and the run's data. Events for which it is false are skipped.",
      },
      untrusted: { type: 'boolean', description: 'Events from untrusted runs are accepted too.' },
      timeout: TIMEOUT,
    },
  },
  predicates: ['when'],
  faults: ({ event: type, timeout }) => [
    ...errorsAt('/event', typeof type === 'string' ? validateEventType(type) : undefined),
    ...validateDurationAt('timeout', timeout, 1),
  ],
  lower: (config) => ({ type: 'graph.event', config: { ...config } }),
};

const waitAny: GraphNodeType = {
  type: 'wait_any',
  title: 'Waits for the first of several things',
  config: {
    type: 'object',
    required: ['for'],
    properties: {
      for: {
        type: 'array',
        minItems: 1,
        // One of them is the timeout.
        maxItems: MAX_BRANCHES + 1,
        description: 'Signals, events, asks and a timeout. The output shows which came first.',
        items: {
          type: 'object',
          properties: {
            signal: { type: 'string', description: 'Name of a signal.' },
            event: { type: 'string', description: 'Type of an event.' },
            when: {
              type: 'string',
              minLength: 1,
              description:
                "A CEL expression over `event` and the run's data. Events for which it is false are skipped.",
            },
            untrusted: { type: 'boolean', description: 'Events from untrusted runs are accepted too.' },
            ask: { type: 'string', description: 'Name of an ask.' },
            timeout: { ...DURATION, description: 'The node waits no longer than this.' },
          },
        },
      },
    },
  },
  predicates: ['for[].when'],
  faults: ({ for: list = null }) =>
    validateAnyWait(list, isExpression).map(({ pointer, message }) => ({ pointer: `/for${pointer}`, message })),
};

export const waitNodes: readonly GraphNodeType[] = [delay, waitSignal, event, waitAny];

/** Milliseconds of a rendered duration. Throws `flow_config_invalid`. */
function parseMs(node: string, member: string, value: Json | undefined): number {
  try {
    if (typeof value === 'string') return parseDuration(value);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw flowConfigInvalid(`node ${node}: ${member}: ${error.message}`);
  }
  throw flowConfigInvalid(`node ${node}: ${member} must be a duration like 30s`);
}

function readText(
  node: string,
  member: string,
  value: Json | undefined,
  validate: (text: string) => string | undefined,
) {
  if (typeof value !== 'string') throw flowConfigInvalid(`node ${node}: ${member} must be a string`);
  const message = validate(value);
  if (message === undefined) return value;
  throw flowConfigInvalid(`node ${node}: ${member} ${message}`);
}

function readFlag(node: string, member: string, value: Json | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw flowConfigInvalid(`node ${node}: ${member} must be true or false`);
}

const readTimeout = (node: string, timeout: Json | undefined, node_timeout_ms: number | undefined) =>
  timeout === undefined || timeout === null ? node_timeout_ms : parseMs(node, 'timeout', timeout);

/** The flow nodes behind these types. They wait without an agent. */
export const waitFlowNodes = (expressions: () => Expressions): readonly FlowNodeType[] => [
  {
    type: 'graph.delay',
    begin(_tx, { name, config }) {
      const timeout_ms = parseMs(name, 'for', config.for);
      return timeout_ms === 0 ? { output: null } : { wait: { kind: 'sleep', name: '', args: null, timeout_ms } };
    },
  },
  {
    type: 'graph.wait_signal',
    begin(_tx, { name, config, timeout_ms: node_timeout_ms }) {
      const signal = readText(name, 'name', config.name, validateSignalName);
      const { form, approvers, message } = config;
      const { terms, faults } = readTerms({ form, approvers, message });
      if (faults.length > 0) throw flowConfigInvalid(`node ${name}: ${describeErrors(faults)}`);
      return {
        wait: {
          kind: 'wait-signal',
          name: signal,
          args: needsPerson(terms) ? (terms as Json) : null,
          timeout_ms: readTimeout(name, config.timeout, node_timeout_ms),
        },
      };
    },
  },
  {
    type: 'graph.event',
    begin(_tx, { name, config, scope, timeout_ms: node_timeout_ms }) {
      const type = readText(name, 'event', config.event, validateEventType);
      const untrusted = readFlag(name, 'untrusted', config.untrusted);
      const args = {
        ...readPredicate(expressions(), config.when ?? null, scope),
        signal: `${RESERVED_SIGNALS}${name}`,
        untrusted,
      };
      return {
        wait: { kind: 'wait-event', name: type, args, timeout_ms: readTimeout(name, config.timeout, node_timeout_ms) },
      };
    },
  },
];
