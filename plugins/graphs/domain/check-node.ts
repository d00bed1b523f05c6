import type { Expressions } from '../../../kernel/contracts/index.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphNode } from '../generated/graph.ts';
import { durationFault } from './duration-fault.ts';
import { predicateFaults } from './expression-check.ts';
import type { Findings } from './findings.ts';
import { configOf, FAN_OUT, json, type TypedNode } from './graph.ts';
import type { Guesses } from './guesses.ts';
import type { KnownType, KnownTypes } from './known-types.ts';
import { exprOf, isObject, valuesIn } from './values.ts';

export interface CheckParts {
  types: KnownTypes;
  expressions: Expressions;
}

/** What one check of a document has together. */
export interface NodeCheck {
  parts: CheckParts;
  /** Of names of types. */
  guesses: Guesses;
  findings: Findings;
}

/** A node with its type, as far as it is known; its faults are found, but for those of its id and its expressions. */
export function checkNode(check: NodeCheck, index: number, node: GraphNode): TypedNode | undefined {
  const { findings } = check;
  const at = `/nodes/${index}`;
  durationOf(`${at}/timeout`, node.timeout, 1, findings);
  durationOf(`${at}/retry/backoff`, node.retry?.backoff, 0, findings);
  const key = json(node.idempotency_key);
  if (isObject(key) && exprOf(key) === undefined)
    findings.add(`${at}/idempotency_key`, 'must be a text, or {"$expr": "…"}');
  if (typeof node.type !== 'string' || node.type === '') return undefined;
  const type = typeOf(check, `${at}/type`, node.type);
  const config = configOf(node.config);
  if (!type || !isObject(json(config))) return undefined;
  const whole = checkConfig(check, `${at}/config`, type, config);
  const inner = type.type === FAN_OUT && whole ? innerOf(check, `${at}/config/node`, config) : undefined;
  return { index, node, type, config, ...(inner && { inner }) };
}

function durationOf(pointer: string, text: unknown, least: number, findings: Findings): void {
  const message = typeof text === 'string' ? durationFault(text, least) : undefined;
  if (message !== undefined) findings.add(pointer, message);
}

function typeOf({ parts, guesses, findings }: NodeCheck, pointer: string, name: string): KnownType | undefined {
  const found = parts.types.find(name);
  if (!found) findings.add(pointer, () => noType(name, guesses));
  return found;
}

function noType(name: string, guesses: Guesses): string {
  const guess = guesses.of(name);
  const hint = guess === undefined ? '`svc graph types` lists them' : `did you mean ${guess}?`;
  return `${JSON.stringify(name.slice(0, 128))} is not a known type of node; ${hint}`;
}

/** Of a config with more values only the first fault is listed. */
const MAX_VALUES = 2_000;

/** True when the schema of the config is met. */
function checkConfig(
  { parts: { expressions }, findings }: NodeCheck,
  pointer: string,
  type: KnownType,
  config: NodeConfig,
): boolean {
  const of_schema = type.schemaFaults(config, { all: valuesIn(json(config), MAX_VALUES) < MAX_VALUES });
  const own = of_schema.length > 0 ? of_schema : (type.faults?.(config) ?? []);
  findings.addAll(own, pointer);
  for (const name of type.predicates ?? []) {
    const [text, at] = [config[name], pointerTo(pointer, name)];
    if (typeof text === 'string') findings.addAll(predicateFaults(expressions, text, at));
    else if (exprOf(text) !== undefined) findings.add(at, 'is CEL itself; write it without $expr');
  }
  return of_schema.length === 0;
}

/** The node that a fan-out runs for each item. */
function innerOf(check: NodeCheck, pointer: string, { node: given }: NodeConfig): TypedNode['inner'] | undefined {
  if (!isObject(given) || typeof given.type !== 'string') return undefined;
  const type = typeOf(check, `${pointer}/type`, given.type);
  if (!type) return undefined;
  if (type.type === FAN_OUT || type.trigger || type.cases) {
    check.findings.add(`${pointer}/type`, `${type.type} cannot be the node of a fan_out`);
    return undefined;
  }
  const config = configOf(given.config);
  checkConfig(check, `${pointer}/config`, type, config);
  return { type, config };
}
