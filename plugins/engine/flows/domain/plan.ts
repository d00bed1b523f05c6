import type { Fault } from '../../../../kernel/contracts/index.ts';
import { MAX_ATTEMPTS } from '../../runs/contract.ts';
import type { FlowEdge, FlowNode, FlowPlan } from '../contract.ts';

export const MAX_NODES = 5000;
export const MAX_ITEMS = 50_000;
export const MAX_CONCURRENCY = 1000;
const MAX_EDGES = 50_000;
const MAX_WAIT_MS = 366 * 24 * 3_600_000;
const ID = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

/** An edge, seen from the node that meets it. */
export interface NextEdge {
  n: number;
  when?: FlowEdge['when'];
}

/**
 * A stored node. It lists the nodes that need it and the numbers of the nodes that it reads, so that no other node must
 * be loaded.
 */
export interface PlannedNode extends Omit<FlowNode, 'needs' | 'reads'> {
  n: number;
  needs: number;
  next: NextEdge[];
  /** The nodes whose results the condition and the items read, by id and number, and those that the config reads. */
  reads: Reads;
  config_reads: Reads;
  /** The number in the plan of the earlier run, when a rerun reuses the result. */
  kept?: number;
}

export type Reads = [id: string, n: number][];

const edgesOf = (node: FlowNode): FlowEdge[] =>
  (node.needs ?? []).map((need) => (typeof need === 'string' ? { node: need } : need));

/** The nodes of a valid plan. */
export function toPlannedNodes(plan: FlowPlan): PlannedNode[] {
  const numbers = new Map(plan.nodes.map(({ id }, n) => [id, n]));
  const nodes = plan.nodes.map(({ needs: _needs, reads, ...node }, n): PlannedNode => {
    const edges = edgesOf(plan.nodes[n]!);
    const findReads = (text: string) => toReads(numbers, reads ?? findNamedIds(text, edges));
    const written = node.fan_out?.items;
    const items = Array.isArray(written) ? '' : typeof written === 'string' ? written : JSON.stringify(written ?? '');
    const node_reads = {
      reads: findReads(`${node.if?.text ?? ''} ${items}`),
      config_reads: findReads(JSON.stringify([node.config, node.key])),
    };
    return { ...node, ...node_reads, n, needs: edges.length, next: [] };
  });
  for (const [n, node] of plan.nodes.entries())
    for (const { node: id, when } of edgesOf(node)) nodes[numbers.get(id)!]!.next.push({ n, when });
  return nodes;
}

/**
 * Returns the needs whose ids occur in a text as words. It takes time for the text plus the needs, not for their
 * product. A word with hyphens also counts in pieces, because `a-b` is an id or a difference. In JSON, the letter after
 * a backslash may belong to an escape or to the word.
 */
function findNamedIds(text: string, edges: readonly FlowEdge[]): string[] {
  if (edges.length === 0) return [];
  const words = new Set<string>();
  for (const [found] of text.matchAll(/\\?[A-Za-z0-9_-]+/g))
    for (const word of found.startsWith('\\') ? [found.slice(1), found.slice(2)] : [found]) {
      words.add(word);
      if (word.includes('-')) for (const piece of word.split('-')) words.add(piece);
    }
  return edges.map(({ node }) => node).filter((id) => words.has(id));
}

const toReads = (numbers: ReadonlyMap<string, number>, ids: readonly string[]): Reads =>
  [...new Set(ids)].map((id) => [id, numbers.get(id)!]);

/** The nodes that the output of a plan reads. */
export const outputReads = (plan: FlowPlan): Reads =>
  toReads(new Map(plan.nodes.map(({ id }, n) => [id, n])), plan.output?.reads ?? []);

/** Returns all errors of a plan. */
export function validatePlan(plan: FlowPlan): Fault[] {
  if (plan.nodes.length === 0 || plan.nodes.length > MAX_NODES)
    return [{ pointer: '/nodes', message: `must have 1 to ${MAX_NODES} nodes, not ${plan.nodes.length}` }];
  const numbers = new Map<string, number>();
  const errors = plan.nodes.flatMap((node, n) => validateNode(node, n, numbers));
  const findUnknown = (ids: readonly string[] = [], pointer: string) =>
    ids
      .filter((id) => !numbers.has(id))
      .map((id): Fault => ({ pointer, message: `${JSON.stringify(id)} is not a node of the plan` }));
  let edges = 0;
  for (const [n, node] of plan.nodes.entries()) {
    const needs = edgesOf(node).map((edge) => edge.node);
    edges += needs.length;
    errors.push(...findUnknown(needs, `/nodes/${n}/needs`), ...findUnknown(node.reads, `/nodes/${n}/reads`));
    if (new Set(needs).size < needs.length)
      errors.push({ pointer: `/nodes/${n}/needs`, message: 'lists a node twice' });
  }
  errors.push(...findUnknown(plan.output?.reads, '/output/reads'));
  if (edges > MAX_EDGES) errors.push({ pointer: '/nodes', message: `have ${edges} needs; the limit is ${MAX_EDGES}` });
  return errors.length > 0 ? errors : findCycles(plan);
}

function validateNode(node: FlowNode, n: number, numbers: Map<string, number>): Fault[] {
  const errors: Fault[] = [];
  const report = (member: string, message: string) => errors.push({ pointer: `/nodes/${n}/${member}`, message });
  if (!ID.test(node.id)) report('id', 'must be letters, digits, _ and -, at most 128, not beginning with a digit');
  if (numbers.has(node.id)) report('id', `${node.id} is also the id of node ${numbers.get(node.id)}`);
  numbers.set(node.id, n);
  const checkInteger = (member: string, value: number | undefined, min: number, max: number) => {
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max))
      report(member, `must be a whole number from ${min} to ${max}`);
  };
  checkInteger('retry/attempts', node.retry?.attempts, 1, MAX_ATTEMPTS);
  checkInteger('retry/backoff_ms', node.retry?.backoff_ms, 0, MAX_WAIT_MS);
  checkInteger('timeout_ms', node.timeout_ms, 1, MAX_WAIT_MS);
  checkInteger('fan_out/concurrency', node.fan_out?.concurrency, 1, MAX_CONCURRENCY);
  return errors;
}

/** Nodes that can never begin because they need each other. */
function findCycles(plan: FlowPlan): Fault[] {
  const nodes = toPlannedNodes(plan);
  const open = nodes.map(({ needs }) => needs);
  const ready = nodes.filter(({ needs }) => needs === 0).map(({ n }) => n);
  for (let n = ready.pop(); n !== undefined; n = ready.pop())
    for (const next of nodes[n]!.next) if (--open[next.n]! === 0) ready.push(next.n);
  const stuck = nodes.filter(({ n }) => open[n]! > 0).map(({ id }) => id);
  if (stuck.length === 0) return [];
  const listed = stuck.slice(0, 10).join(', ') + (stuck.length > 10 ? ', …' : '');
  return [{ pointer: '/nodes', message: `depend on each other in a cycle, or depend on a node in a cycle: ${listed}` }];
}
