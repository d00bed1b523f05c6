import type { Json } from '../../runs/contract.ts';
import { activityName } from '../domain/attempts.ts';
import { NODE_ITEM } from '../domain/decide.ts';
import { MAX_ITEMS, type PlannedNode } from '../domain/plan.ts';
import { flowConfigInvalid, type FlowNodeContext } from '../contract.ts';
import { expressionFailed, fanOutTooLarge } from '../errors.ts';
import type { StoredNode } from '../store/node-rows.ts';
import type { Evaluation } from './evaluation.ts';
import type { FlowMemory } from './flow-memory.ts';

/** Evaluates the condition of a node. Throws `flow_expression_failed`. */
export async function evaluateCondition(node: PlannedNode, evaluation: Evaluation): Promise<boolean> {
  const value = (await evaluation.createEvaluator(node.reads)).evaluate(node.if!.text);
  if (typeof value === 'boolean') return value;
  throw expressionFailed(`the condition of ${node.id} is neither true nor false: ${node.if!.text.slice(0, 200)}`);
}

/** The items of a fan-out. Throws `flow_expression_failed` or `flow_fan_out_too_large`. */
export async function evaluateItems(node: PlannedNode, evaluation: Evaluation): Promise<readonly Json[]> {
  const { items, max_items = MAX_ITEMS } = node.fan_out!;
  const list = await readItems(node, items, evaluation);
  if (!Array.isArray(list))
    throw expressionFailed(`the items of ${node.id} are not a list: ${String(items).slice(0, 200)}`);
  if (list.length > max_items)
    throw fanOutTooLarge(`the fan-out ${node.id} has ${list.length} items; the limit is ${max_items}`);
  return list;
}

async function readItems(
  node: PlannedNode,
  items: NonNullable<PlannedNode['fan_out']>['items'],
  evaluation: Evaluation,
): Promise<Json> {
  if (Array.isArray(items)) return items;
  const { evaluate } = await evaluation.createEvaluator(node.reads);
  if (typeof items === 'string') return evaluate(items);
  return [...evaluation.items((items as { config: Json }).config, evaluate)];
}

/** Builds the context of an attempt for its node type. */
export async function createNodeContext(
  node: PlannedNode,
  row: StoredNode,
  { run }: FlowMemory,
  evaluation: Evaluation,
): Promise<FlowNodeContext> {
  const { org_id, project_id, run_id, subject, generation, trusted } = run;
  const { evaluate, scope } = await evaluation.createEvaluator(node.config_reads, row);
  const config = evaluation.render(node.config ?? {}, evaluate);
  return {
    org_id,
    project_id,
    run_id,
    subject,
    generation,
    trusted,
    evaluate,
    scope,
    name: activityName(node, row),
    key:
      node.key === undefined ? defaultKey(run_id, node, row) : toIdempotencyKey(evaluation.render(node.key, evaluate)),
    attempt: row.attempt,
    config: config !== null && typeof config === 'object' && !Array.isArray(config) ? config : {},
    timeout_ms: node.timeout_ms,
  };
}

/**
 * Joins run, node and item with tildes. Connectors put the key into the path of a URL, so it must need no escape: some
 * servers and proxies reject `%2F` or treat it as a slash. No id contains a tilde, so keys are distinct. A dot would be
 * ambiguous in signatures over texts that dots separate.
 */
const defaultKey = (run_id: string, { id }: PlannedNode, { item }: Pick<StoredNode, 'item'>): string =>
  [run_id, id, ...(item === NODE_ITEM ? [] : [item])].join('~');

const MAX_KEY_LENGTH = 180;

/** Throws `flow_config_invalid`. */
function toIdempotencyKey(value: Json): string {
  const key = typeof value === 'string' ? value : JSON.stringify(value);
  if (key !== '' && value !== null && key.length <= MAX_KEY_LENGTH && !/\p{Cc}/u.test(key)) return key;
  throw flowConfigInvalid(`the idempotency key must have 1 to ${MAX_KEY_LENGTH} characters and no control characters`);
}
