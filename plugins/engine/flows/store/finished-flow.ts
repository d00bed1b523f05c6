import { insertRows, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import type { Activities } from '../../runs/contract.ts';
import type { PlannedNode } from '../domain/plan.ts';
import type { FlowRow } from './flow-row.ts';
import { CHUNK_SIZE } from './lists.ts';
import { asUnsealed, LISTED_ERROR_LENGTH, type ListedNode, type StoredNode, unsealedOutput } from './node-rows.ts';
import type { NodeReader } from './node-reader.ts';
import { type FlowScope, sealContext } from './sealing.ts';

/** Flows with more characters of JSON have rows of their own for each node, because a list opens all of this. */
const MAX_LENGTH = 32 * 1024;

const COLUMNS = ['run_id', 'org_id', 'project_id', 'body'];

/** The body as JSON. The output of a node is a text of JSON. */
interface Body {
  flow: FlowRow;
  plan: PlannedNode[];
  nodes: (Omit<StoredNode, 'output'> & { output: string | null })[];
}

const context = (scope: FlowScope) => sealContext(scope, 'flows_finished', '', 'body');

/**
 * A flow that has ended in the transaction in which it began, as one value. Every node is decided and none has activities or
 * stored items. Undefined if the flow is too large for that.
 */
export function encodeFinishedFlow(
  flow: FlowRow,
  plan: readonly PlannedNode[],
  rows: readonly StoredNode[],
): Buffer | undefined {
  const outputs = rows.map((row) => unsealedOutput(row));
  // Large outputs are measured before they are copied.
  if (outputs.reduce((bytes, output) => bytes + (output?.length ?? 0), 0) > MAX_LENGTH) return undefined;
  const nodes = rows.map((row, i) => ({
    ...row,
    outcome: row.outcome ?? null,
    output: outputs[i]?.toString() ?? null,
  }));
  const text = JSON.stringify({ flow, plan: [...plan], nodes } satisfies Body);
  return text.length > MAX_LENGTH ? undefined : Buffer.from(text);
}

/** Stores a finished flow in a row of its own. */
export async function insertFinishedFlow(
  tx: Transaction,
  sealer: Sealer,
  scope: FlowScope,
  finished: Buffer,
): Promise<void> {
  const { run_id, org_id, project_id } = scope;
  const body = sealer.seal(context(scope), finished);
  await insertRows(tx, 'INSERT INTO flows_finished', COLUMNS, [[run_id, org_id, project_id, body]]);
}

export interface FinishedFlowDeps {
  sealer: Sealer;
  activities: Pick<Activities, 'record'>;
}

/** A flow, and what reads its nodes. */
export interface ReadableFlow {
  flow: FlowRow;
  reader: NodeReader;
}

/**
 * Reads a finished flow: from the row of its run if it was stored there, or from its own row, as flows are that have failed
 * or are large, and those of older versions. The org's keys are ready.
 */
export async function readFinishedFlow(
  on: Pick<Transaction, 'read'>,
  { sealer, activities }: FinishedFlowDeps,
  scope: FlowScope,
): Promise<ReadableFlow | undefined> {
  const [row] = await on.read<{ body: Buffer }>('SELECT body FROM flows_finished WHERE run_id = ? AND project_id = ?', [
    scope.run_id,
    scope.project_id,
  ]);
  const body = row ? sealer.open(context(scope), row.body) : await activities.record(on, scope);
  if (!body) return undefined;
  const { flow, plan, nodes } = parseExact(body.toString()) as unknown as Body;
  const rows = nodes.map(
    (node): StoredNode => ({ ...node, output: node.output === null ? null : asUnsealed(Buffer.from(node.output)) }),
  );
  return { flow, reader: readerOf(plan, rows) };
}

function readerOf(plan: readonly PlannedNode[], rows: readonly StoredNode[]): NodeReader {
  const find = (keys: readonly { n: number; item: number }[]) =>
    keys.flatMap(({ n, item }) => rows.find((row) => row.n === n && row.item === item) ?? []);
  const listed = (row: StoredNode): ListedNode => ({
    ...row,
    error_message: row.error_message && [...row.error_message].slice(0, LISTED_ERROR_LENGTH).join(''),
    output: null,
    output_bytes: row.output?.length ?? null,
  });
  return {
    plan: async (numbers) =>
      new Map(numbers.map((number) => [number, plan.slice(number * CHUNK_SIZE, (number + 1) * CHUNK_SIZE)])),
    nodes: async (keys) => find(keys),
    listNodes: async (keys) => find(keys).map(listed),
    // A flow with items, or with a node in progress, has rows of its own.
    listItems: async () => [],
    listOpen: async () => [],
    listOpenItems: async () => [],
  };
}
