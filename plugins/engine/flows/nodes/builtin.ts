import type { Json } from '../../runs/contract.ts';
import { flowConfigInvalid, type FlowNodeType } from '../contract.ts';

const configInvalid = (name: string, message: string) => flowConfigInvalid(`node ${name}: ${message}`);

function readTexts(value: Json | undefined): string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as string[]) : undefined;
}

/** `{executor, spec, requires?}`: work for an agent. */
const activity: FlowNodeType = {
  type: 'activity',
  begin(_tx, { name, config: { executor, spec = null, requires = [] } }) {
    const required = readTexts(requires);
    if (typeof executor !== 'string' || !required) throw configInvalid(name, 'executor and requires must be strings');
    return { activity: { executor, spec, requires: required } };
  },
};

/** `{values}`: its output. */
const set: FlowNodeType = { type: 'set', begin: (_tx, { config }) => ({ output: config.values ?? null }) };

/** Chooses the case `true` or `false`, with the config `{if}`. */
const condition: FlowNodeType = {
  type: 'condition',
  begin(_tx, { name, config, evaluate }) {
    const value = typeof config.if === 'string' ? evaluate(config.if) : config.if;
    if (typeof value !== 'boolean')
      throw configInvalid(name, 'if must be true or false, or an expression that returns one of them');
    return { output: value, case: value };
  },
};

/** `{on, cases}`: its case is the value of `on`, or `default`. */
const choice: FlowNodeType = {
  type: 'switch',
  begin(_tx, { name, config, evaluate }) {
    const cases = readTexts(config.cases);
    if (typeof config.on !== 'string' || !cases)
      throw configInvalid(name, 'on must be an expression, and cases must be a list of strings');
    const value = evaluate(config.on);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { output: value, case: cases.includes(text) ? text : 'default' };
  },
};

/** Waits for a time, with the config `{ms}`. */
const delay: FlowNodeType = {
  type: 'delay',
  begin(_tx, { name, config: { ms } }) {
    if (typeof ms !== 'number' || !(ms >= 0)) throw configInvalid(name, 'ms must be a non-negative number');
    return ms === 0 ? { output: null } : { wait: { kind: 'sleep', name: '', args: null, timeout_ms: ms } };
  },
};

/** Waits for a signal, with the config `{name, terms?}`. The payload is the output. */
const waitSignal: FlowNodeType = {
  type: 'wait_signal',
  begin(_tx, { name, config, timeout_ms }) {
    if (typeof config.name !== 'string') throw configInvalid(name, 'name must be a signal name');
    return { wait: { kind: 'wait-signal', name: config.name, args: config.terms ?? null, timeout_ms } };
  },
};

export const builtinNodes: readonly FlowNodeType[] = [activity, set, condition, choice, delay, waitSignal];
