import type { Json } from '../../runs/contract.ts';
import { flowConfigInvalid, type FlowNodeType } from '../contract.ts';

const refuse = (name: string, message: string) => flowConfigInvalid(`node ${name}: ${message}`);

function texts(value: Json | undefined): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as string[]) : undefined;
}

/** `{executor, spec, requires?}`: work for an agent. */
const activity: FlowNodeType = {
  type: 'activity',
  begin(_tx, { name, config: { executor, spec = null, requires = [] } }) {
    const required = texts(requires);
    if (typeof executor !== 'string' || !required) throw refuse(name, 'executor and requires must be texts');
    return { activity: { executor, spec, requires: required } };
  },
};

/** `{values}`: its output. */
const set: FlowNodeType = { type: 'set', begin: (_tx, { config }) => ({ output: config.values ?? null }) };

/** `{if}`: its case is `true` or `false`. */
const condition: FlowNodeType = {
  type: 'condition',
  begin(_tx, { name, config, evaluate }) {
    const value = typeof config.if === 'string' ? evaluate(config.if) : config.if;
    if (typeof value !== 'boolean') throw refuse(name, 'if must be true or false, or an expression with such a value');
    return { output: value, case: value };
  },
};

/** `{on, cases}`: its case is the value of `on`, or `default`. */
const choice: FlowNodeType = {
  type: 'switch',
  begin(_tx, { name, config, evaluate }) {
    const cases = texts(config.cases);
    if (typeof config.on !== 'string' || !cases)
      throw refuse(name, 'on must be an expression and cases a list of texts');
    const value = evaluate(config.on);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { output: value, case: cases.includes(text) ? text : 'default' };
  },
};

/** `{ms}`: waits for this time. */
const delay: FlowNodeType = {
  type: 'delay',
  begin(_tx, { name, config: { ms } }) {
    if (typeof ms !== 'number' || !(ms >= 0)) throw refuse(name, 'ms must be a number, not below 0');
    return ms === 0 ? { output: null } : { wait: { kind: 'sleep', name: '', args: null, timeout_ms: ms } };
  },
};

/** `{name}`: waits for a signal; its payload is the output. */
const waitSignal: FlowNodeType = {
  type: 'wait_signal',
  begin(_tx, { name, config, timeout_ms }) {
    if (typeof config.name !== 'string') throw refuse(name, 'name must be the name of a signal');
    return { wait: { kind: 'wait-signal', name: config.name, args: null, timeout_ms } };
  },
};

export const builtinNodes: readonly FlowNodeType[] = [activity, set, condition, choice, delay, waitSignal];
