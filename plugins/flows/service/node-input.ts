import type { Json } from '../../runs/contract.ts';
import { nameOf } from '../domain/attempts.ts';
import { WHOLE } from '../domain/decide.ts';
import { MAX_ITEMS, type PlannedNode } from '../domain/plan.ts';
import { flowConfigInvalid, type FlowNodeContext } from '../contract.ts';
import { expressionFailed, fanOutTooLarge } from '../errors.ts';
import type { StoredNode } from '../store/node-rows.ts';
import type { Evaluation } from './evaluation.ts';
import type { FlowMemory } from './flow-memory.ts';

/** The value of a node's condition. Throws `flow_expression_failed`. */
export async function conditionOf(node: PlannedNode, evaluation: Evaluation): Promise<boolean> {
  const value = (await evaluation.over(node.reads))(node.if!.text);
  if (typeof value === 'boolean') return value;
  throw expressionFailed(`the condition of ${node.id} is neither true nor false: ${node.if!.text.slice(0, 200)}`);
}

/** The items of a fan-out. Throws `flow_expression_failed` or `flow_fan_out_too_large`. */
export async function itemsOf(node: PlannedNode, evaluation: Evaluation): Promise<readonly Json[]> {
  const { items } = node.fan_out!;
  const list = typeof items === 'string' ? (await evaluation.over(node.reads))(items) : (items as Json);
  if (!Array.isArray(list))
    throw expressionFailed(`the items of ${node.id} are not a list: ${String(items).slice(0, 200)}`);
  if (list.length > MAX_ITEMS)
    throw fanOutTooLarge(`the fan-out ${node.id} has ${list.length} items; the limit is ${MAX_ITEMS}`);
  return list;
}

/** What the type of a node gets for an attempt. */
export async function contextOf(
  node: PlannedNode,
  row: StoredNode,
  { run }: FlowMemory,
  evaluation: Evaluation,
): Promise<FlowNodeContext> {
  const { org_id, project_id, run_id, subject, generation, trusted } = run;
  const evaluate = await evaluation.over(node.config_reads, row);
  const config = evaluation.render(node.config ?? {}, evaluate);
  return {
    ...{ org_id, project_id, run_id, subject, generation, trusted, evaluate },
    name: nameOf(node, row),
    key: node.key === undefined ? defaultKey(run_id, node, row) : keyOf(evaluation.render(node.key, evaluate)),
    attempt: row.attempt,
    config: config !== null && typeof config === 'object' && !Array.isArray(config) ? config : {},
    timeout_ms: node.timeout_ms,
  };
}

/**
 * Run, node and item. Every sign of it may stand in the path of a URL as it is, where connectors put it: some servers and
 * proxies refuse a `%2F`, or take it for a slash. No id has a tilde, so that no two keys are the
 * same; a dot would be taken for the end of an id where signatures are over texts that dots separate.
 */
const defaultKey = (run_id: string, { id }: PlannedNode, { item }: Pick<StoredNode, 'item'>): string =>
  [run_id, id, ...(item === WHOLE ? [] : [item])].join('~');

const MAX_KEY_LENGTH = 180;

/** Throws `flow_config_invalid`. */
function keyOf(value: Json): string {
  const key = typeof value === 'string' ? value : JSON.stringify(value);
  if (key !== '' && value !== null && key.length <= MAX_KEY_LENGTH && !/\p{Cc}/u.test(key)) return key;
  throw flowConfigInvalid(`the idempotency key must have 1 to ${MAX_KEY_LENGTH} characters and no control characters`);
}
