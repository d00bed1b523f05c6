import { type Fault, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import { typeFault } from '../../bus/contract.ts';
import { type FlowNodeType, flowConfigInvalid } from '../../flows/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { GraphNodeType } from '../contract.ts';
import { durationFault } from '../domain/duration-fault.ts';

const DURATION = { type: 'string', description: 'A duration: `30s`, `2h`, `7d`.' };
const TIMEOUT = { ...DURATION, description: 'After this time the node fails with `wait_timeout`.' };
/** Names of signals that belong to the service. */
const OWN_SIGNALS = 'event:';

const faultAt = (pointer: string, message: string | undefined): Fault[] =>
  message === undefined ? [] : [{ pointer, message }];

const durationFaults = (member: string, value: Json | undefined, least: number): Fault[] =>
  faultAt(`/${member}`, typeof value === 'string' ? durationFault(value, least) : undefined);

const signalFault = (name: string): string | undefined => {
  if (name.startsWith(OWN_SIGNALS)) return `must not begin with ${OWN_SIGNALS}, which belongs to the service`;
  return name === '' || name.length > 128 || /\p{Cc}/u.test(name)
    ? 'must have 1 to 128 characters and no control characters'
    : undefined;
};

const delay: GraphNodeType = {
  type: 'delay',
  title: 'Waits for a time',
  config: { type: 'object', required: ['for'], properties: { for: DURATION } },
  faults: ({ for: time }) => durationFaults('for', time, 0),
  lower: (config) => ({ type: 'graph.delay', config: { ...config } }),
};

const waitSignal: GraphNodeType = {
  type: 'wait_signal',
  title: 'Waits for a signal of a person or a program',
  config: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'Of the signal; its payload is the output.' },
      timeout: TIMEOUT,
    },
  },
  faults: ({ name, timeout }) => [
    ...faultAt('/name', typeof name === 'string' ? signalFault(name) : undefined),
    ...durationFaults('timeout', timeout, 1),
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
      when: { type: 'string', minLength: 1, description: 'CEL over `event`; an event that it declines is not taken.' },
      untrusted: { type: 'boolean', description: 'Events that untrusted runs emit are taken too.' },
      timeout: TIMEOUT,
    },
  },
  predicates: ['when'],
  faults: ({ event: type, timeout }) => [
    ...faultAt('/event', typeof type === 'string' ? typeFault(type) : undefined),
    ...durationFaults('timeout', timeout, 1),
  ],
  lower: (config) => ({ type: 'graph.event', config: { ...config } }),
};

export const waitNodes: readonly GraphNodeType[] = [delay, waitSignal, event];

/** Milliseconds of a rendered duration. Throws `flow_config_invalid`. */
function msOf(node: string, member: string, value: Json | undefined): number {
  try {
    if (typeof value === 'string') return parseDuration(value);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    throw flowConfigInvalid(`node ${node}: ${member}: ${error.message}`);
  }
  throw flowConfigInvalid(`node ${node}: ${member} must be a duration like 30s`);
}

function textOf(node: string, member: string, value: Json | undefined, fault: (text: string) => string | undefined) {
  if (typeof value !== 'string') throw flowConfigInvalid(`node ${node}: ${member} must be a text`);
  const message = fault(value);
  if (message === undefined) return value;
  throw flowConfigInvalid(`node ${node}: ${member} ${message}`);
}

function flagOf(node: string, member: string, value: Json | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw flowConfigInvalid(`node ${node}: ${member} must be true or false`);
}

const timeoutOf = (node: string, timeout: Json | undefined, own: number | undefined) =>
  timeout === undefined || timeout === null ? own : msOf(node, 'timeout', timeout);

/** What these nodes do: they wait without an agent. */
export const waitFlowNodes: readonly FlowNodeType[] = [
  {
    type: 'graph.delay',
    begin(_tx, { name, config }) {
      const timeout_ms = msOf(name, 'for', config.for);
      return timeout_ms === 0 ? { output: null } : { wait: { kind: 'sleep', name: '', args: null, timeout_ms } };
    },
  },
  {
    type: 'graph.wait_signal',
    begin(_tx, { name, config, timeout_ms: own }) {
      const signal = textOf(name, 'name', config.name, signalFault);
      return {
        wait: { kind: 'wait-signal', name: signal, args: null, timeout_ms: timeoutOf(name, config.timeout, own) },
      };
    },
  },
  {
    type: 'graph.event',
    begin(_tx, { name, config, timeout_ms: own }) {
      const type = textOf(name, 'event', config.event, typeFault);
      const untrusted = flagOf(name, 'untrusted', config.untrusted);
      const args = { when: config.when ?? null, signal: `${OWN_SIGNALS}${name}`, untrusted };
      return { wait: { kind: 'wait-event', name: type, args, timeout_ms: timeoutOf(name, config.timeout, own) } };
    },
  },
];
