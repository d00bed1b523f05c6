import type { Fault } from '../../../kernel/contracts/index.ts';
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
 * A stored node. It lists the nodes that need it, and the numbers of nodes whose results it reads, so that no other
 * node must be read.
 */
export interface PlannedNode extends Omit<FlowNode, 'needs' | 'reads'> {
  n: number;
  needs: number;
  next: NextEdge[];
  /** Nodes whose results its condition and items read, by id and number; then those that its config reads. */
  reads: Reads;
  config_reads: Reads;
  /** Its number in the plan of the run that this one is a rerun of, when its result is kept. */
  kept?: number;
}

export type Reads = [id: string, n: number][];

const edgesOf = (node: FlowNode): FlowEdge[] =>
  (node.needs ?? []).map((need) => (typeof need === 'string' ? { node: need } : need));

/** The nodes of a valid plan. */
export function planned(plan: FlowPlan): PlannedNode[] {
  const numbers = new Map(plan.nodes.map(({ id }, n) => [id, n]));
  const nodes = plan.nodes.map(({ needs: _needs, reads, ...node }, n): PlannedNode => {
    const edges = edgesOf(plan.nodes[n]!);
    const reading = (text: string) => readsOf(numbers, reads ?? namedIn(text, edges));
    const items = typeof node.fan_out?.items === 'string' ? node.fan_out.items : '';
    const own = {
      reads: reading(`${node.if?.text ?? ''} ${items}`),
      config_reads: reading(JSON.stringify([node.config, node.key])),
    };
    return { ...node, ...own, n, needs: edges.length, next: [] };
  });
  for (const [n, node] of plan.nodes.entries())
    for (const { node: id, when } of edgesOf(node)) nodes[numbers.get(id)!]!.next.push({ n, when });
  return nodes;
}

/**
 * The needs whose ids occur in a text as words. Takes time for the text and the needs, not for their product. A word
 * with hyphens counts as a whole and in its parts: `a-b` is an id or a difference. In JSON a word after a backslash
 * begins with the letter of an escape, or does not.
 */
function namedIn(text: string, edges: readonly FlowEdge[]): string[] {
  if (edges.length === 0) return [];
  const words = new Set<string>();
  for (const [found] of text.matchAll(/\\?[A-Za-z0-9_-]+/g))
    for (const word of found.startsWith('\\') ? [found.slice(1), found.slice(2)] : [found]) {
      words.add(word);
      if (word.includes('-')) for (const part of word.split('-')) words.add(part);
    }
  return edges.map(({ node }) => node).filter((id) => words.has(id));
}

const readsOf = (numbers: ReadonlyMap<string, number>, ids: readonly string[]): Reads =>
  [...new Set(ids)].map((id) => [id, numbers.get(id)!]);

/** The nodes that the output of a plan reads. */
export const outputReads = (plan: FlowPlan): Reads =>
  readsOf(new Map(plan.nodes.map(({ id }, n) => [id, n])), plan.output?.reads ?? []);

/** All faults of a plan. */
export function planFaults(plan: FlowPlan): Fault[] {
  if (plan.nodes.length === 0 || plan.nodes.length > MAX_NODES)
    return [{ pointer: '/nodes', message: `must have 1 to ${MAX_NODES} nodes, not ${plan.nodes.length}` }];
  const numbers = new Map<string, number>();
  const faults = plan.nodes.flatMap((node, n) => nodeFaults(node, n, numbers));
  const known = (ids: readonly string[] = [], pointer: string) =>
    ids
      .filter((id) => !numbers.has(id))
      .map((id): Fault => ({ pointer, message: `${JSON.stringify(id)} is not a node of the plan` }));
  let edges = 0;
  for (const [n, node] of plan.nodes.entries()) {
    const needs = edgesOf(node).map((edge) => edge.node);
    edges += needs.length;
    faults.push(...known(needs, `/nodes/${n}/needs`), ...known(node.reads, `/nodes/${n}/reads`));
    if (new Set(needs).size < needs.length)
      faults.push({ pointer: `/nodes/${n}/needs`, message: 'names a node twice' });
  }
  faults.push(...known(plan.output?.reads, '/output/reads'));
  if (edges > MAX_EDGES) faults.push({ pointer: '/nodes', message: `have ${edges} needs; the limit is ${MAX_EDGES}` });
  return faults.length > 0 ? faults : cycleFaults(plan);
}

function nodeFaults(node: FlowNode, n: number, numbers: Map<string, number>): Fault[] {
  const faults: Fault[] = [];
  const fault = (member: string, message: string) => faults.push({ pointer: `/nodes/${n}/${member}`, message });
  if (!ID.test(node.id)) fault('id', 'must be letters, digits, _ and -, at most 128, not beginning with a digit');
  if (numbers.has(node.id)) fault('id', `${node.id} is the id of node ${numbers.get(node.id)} too`);
  numbers.set(node.id, n);
  const whole = (member: string, value: number | undefined, least: number, most: number) => {
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most))
      fault(member, `must be a whole number from ${least} to ${most}`);
  };
  whole('retry/attempts', node.retry?.attempts, 1, MAX_ATTEMPTS);
  whole('retry/backoff_ms', node.retry?.backoff_ms, 0, MAX_WAIT_MS);
  whole('timeout_ms', node.timeout_ms, 1, MAX_WAIT_MS);
  whole('fan_out/concurrency', node.fan_out?.concurrency, 1, MAX_CONCURRENCY);
  return faults;
}

/** Nodes that can never begin because they need each other. */
function cycleFaults(plan: FlowPlan): Fault[] {
  const nodes = planned(plan);
  const open = nodes.map(({ needs }) => needs);
  const ready = nodes.filter(({ needs }) => needs === 0).map(({ n }) => n);
  for (let n = ready.pop(); n !== undefined; n = ready.pop())
    for (const next of nodes[n]!.next) if (--open[next.n]! === 0) ready.push(next.n);
  const stuck = nodes.filter(({ n }) => open[n]! > 0).map(({ id }) => id);
  if (stuck.length === 0) return [];
  const named = stuck.slice(0, 10).join(', ') + (stuck.length > 10 ? ', …' : '');
  return [{ pointer: '/nodes', message: `depend on each other in a circle, or depend on such a circle: ${named}` }];
}
