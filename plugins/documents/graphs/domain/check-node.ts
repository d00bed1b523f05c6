import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { NodeConfig } from '../contract.ts';
import type { GraphNode } from '../generated/graph.ts';
import { validateDuration } from './validate-duration.ts';
import { validatePredicate } from './expression-check.ts';
import type { Findings } from './findings.ts';
import { toConfig, EACH, FAN_OUT, asJson, type TypedNode } from './graph.ts';
import type { NameSuggester } from './name-suggester.ts';
import { splitPredicates } from './predicates.ts';
import type { CompiledNodeType, NodeTypeCatalog } from './node-type-catalog.ts';
import { readExpr, isObject, countValues } from './values.ts';

export interface CheckDeps {
  types: NodeTypeCatalog;
  expressions: Expressions;
}

/** What all steps of one check of a document share. */
export interface NodeCheck {
  deps: CheckDeps;
  /** Suggests names of node types. */
  guesses: NameSuggester;
  findings: Findings;
  /** Checks the graph in the config of an `each`. */
  checkBody(index: number, config: NodeConfig): TypedNode['body'];
}

/**
 * Checks a node and returns it with its type. Reports all errors except those of its id and its expressions; undefined
 * when the type is unknown.
 */
export function checkNode(check: NodeCheck, index: number, node: GraphNode): TypedNode | undefined {
  const { findings } = check;
  const at = `/nodes/${index}`;
  checkDuration(`${at}/timeout`, node.timeout, 1, findings);
  checkDuration(`${at}/retry/backoff`, node.retry?.backoff, 0, findings);
  const key = asJson(node.idempotency_key);
  if (isObject(key) && readExpr(key) === undefined)
    findings.add(`${at}/idempotency_key`, 'must be a string, or {"$expr": "…"}');
  if (typeof node.type !== 'string' || node.type === '') return undefined;
  const type = findType(check, `${at}/type`, node.type);
  const config = toConfig(node.config);
  if (!type || !isObject(asJson(config))) return undefined;
  const is_valid = checkConfig(check, `${at}/config`, type, config);
  const inner = type.type === FAN_OUT && is_valid ? checkInner(check, `${at}/config/node`, config) : undefined;
  const body = type.type === EACH && is_valid ? check.checkBody(index, config) : undefined;
  return { index, node, type, config, ...(inner && { inner }), ...(body && { body }) };
}

function checkDuration(pointer: string, text: unknown, min_ms: number, findings: Findings): void {
  const message = typeof text === 'string' ? validateDuration(text, min_ms) : undefined;
  if (message !== undefined) findings.add(pointer, message);
}

function findType({ deps, guesses, findings }: NodeCheck, pointer: string, name: string): CompiledNodeType | undefined {
  const type = deps.types.find(name);
  if (!type) findings.add(pointer, () => describeUnknownType(name, guesses));
  return type;
}

function describeUnknownType(name: string, guesses: NameSuggester): string {
  const guess = guesses.suggest(name);
  const hint = guess === undefined ? '`svc graph types` lists them' : `did you mean ${guess}?`;
  return `${JSON.stringify(name.slice(0, 128))} is not a known type of node; ${hint}`;
}

/** In a config with more values, only the first error is reported. */
const MAX_VALUES = 2_000;

/** Returns true when the config matches its schema. */
function checkConfig(
  { deps: { expressions }, findings }: NodeCheck,
  pointer: string,
  type: CompiledNodeType,
  config: NodeConfig,
): boolean {
  const schema_errors = type.validateConfig(config, { all: countValues(asJson(config), MAX_VALUES) < MAX_VALUES });
  const errors = schema_errors.length > 0 ? schema_errors : (type.faults?.(config) ?? []);
  findings.addAll(errors, pointer);
  for (const { value, pointer: at } of splitPredicates(type, config, pointer).predicates) {
    // Nothing has run before a trigger. What other nodes read is checked with their expressions.
    if (typeof value === 'string' && type.trigger) findings.addAll(validatePredicate(expressions, value, at));
    else if (readExpr(value) !== undefined) findings.add(at, 'is already CEL; write it without $expr');
  }
  return schema_errors.length === 0;
}

/** The node that a fan-out runs for each item. */
function checkInner(
  check: NodeCheck,
  pointer: string,
  { node: inner_node }: NodeConfig,
): TypedNode['inner'] | undefined {
  if (!isObject(inner_node) || typeof inner_node.type !== 'string') return undefined;
  const type = findType(check, `${pointer}/type`, inner_node.type);
  if (!type) return undefined;
  if (type.type === FAN_OUT || type.type === EACH || type.trigger || type.cases) {
    check.findings.add(`${pointer}/type`, `${type.type} cannot be the node of a fan_out`);
    return undefined;
  }
  const config = toConfig(inner_node.config);
  checkConfig(check, `${pointer}/config`, type, config);
  return { type, config };
}
