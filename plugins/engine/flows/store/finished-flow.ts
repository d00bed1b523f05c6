import { insertRows, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
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
 * Stores a flow that has ended in the transaction in which it began, in one row. Every node is decided and none has
 * activities or stored items. Returns false without storing anything if the flow is too large for that.
 */
export async function insertFinishedFlow(
  tx: Transaction,
  sealer: Sealer,
  scope: FlowScope,
  flow: FlowRow,
  plan: readonly PlannedNode[],
  rows: readonly StoredNode[],
): Promise<boolean> {
  const outputs = rows.map((row) => unsealedOutput(row));
  // Large outputs are measured before they are copied.
  if (outputs.reduce((bytes, output) => bytes + (output?.length ?? 0), 0) > MAX_LENGTH) return false;
  const nodes = rows.map((row, i) => ({
    ...row,
    outcome: row.outcome ?? null,
    output: outputs[i]?.toString() ?? null,
  }));
  const text = JSON.stringify({ flow, plan: [...plan], nodes } satisfies Body);
  if (text.length > MAX_LENGTH) return false;
  const { run_id, org_id, project_id } = scope;
  const body = sealer.seal(context(scope), Buffer.from(text));
  await insertRows(tx, 'INSERT INTO flows_finished', COLUMNS, [[run_id, org_id, project_id, body]]);
  return true;
}

/** A flow, and what reads its nodes. */
export interface ReadableFlow {
  flow: FlowRow;
  reader: NodeReader;
}

/** The org's keys are ready. */
export async function readFinishedFlow(
  on: Pick<Transaction, 'read'>,
  sealer: Sealer,
  scope: FlowScope,
): Promise<ReadableFlow | undefined> {
  const [row] = await on.read<{ body: Buffer }>('SELECT body FROM flows_finished WHERE run_id = ? AND project_id = ?', [
    scope.run_id,
    scope.project_id,
  ]);
  if (!row) return undefined;
  const { flow, plan, nodes } = parseExact(sealer.open(context(scope), row.body).toString()) as unknown as Body;
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
