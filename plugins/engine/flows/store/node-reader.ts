import type { Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { PLAN, readChunks } from './lists.ts';
import {
  type ListedNode,
  listItems,
  listNodes,
  listOpen,
  listOpenItems,
  readNodes,
  type StoredNode,
} from './node-rows.ts';
import type { FlowScope } from './sealing.ts';

type Keys = readonly { n: number; item: number }[];

/** Reads the plan and the nodes of one flow, whichever way they are stored. Lists have no outputs. */
export interface NodeReader {
  /** The parts of the plan with these numbers, `CHUNK_SIZE` nodes each. */
  plan(numbers: readonly number[]): Promise<ReadonlyMap<number, readonly PlannedNode[]>>;
  nodes(keys: Keys): Promise<StoredNode[]>;
  listNodes(keys: Keys): Promise<ListedNode[]>;
  /** Items of a node after one, in order. */
  listItems(n: number, after: number, limit: number): Promise<ListedNode[]>;
  /** Nodes in progress after one, in plan order. */
  listOpen(after: number, limit: number): Promise<ListedNode[]>;
  listOpenItems(n: number): Promise<ListedNode[]>;
}

/** Reads a flow that has rows of its own for each node. The org's keys are ready. */
export function readerOfRows(on: Pick<Transaction, 'read'>, sealer: Sealer, scope: FlowScope): NodeReader {
  const { run_id } = scope;
  return {
    plan: (numbers) => readChunks<PlannedNode>(on, sealer, scope, PLAN, numbers),
    nodes: (keys) => readNodes(on, run_id, keys),
    listNodes: (keys) => listNodes(on, run_id, keys),
    listItems: (n, after, limit) => listItems(on, run_id, n, after, limit),
    listOpen: (after, limit) => listOpen(on, run_id, after, limit),
    listOpenItems: (n) => listOpenItems(on, run_id, n),
  };
}
