import type { CredentialState } from '../../credentials/contract.ts';
import type { GraphEdge } from '../generated/graph.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import { type GraphCredential, trouble } from './credentials.ts';
import { shownPointer } from './findings.ts';
import { type CheckedGraph, worker } from './graph.ts';
import { splitHoles } from '../contract/holes.ts';
import { isObject } from './values.ts';

const MAX_WARNINGS = 50;

/** What is not refused, and is probably not meant. */
export function warningsOf(
  graph: CheckedGraph,
  named: readonly GraphCredential[],
  states: readonly CredentialState[],
): string[] {
  const found = [...troubles(named, states), ...literalHoles(graph), ...exclusiveJoins(graph), ...orphans(graph)];
  const more = found.length - MAX_WARNINGS;
  return more > 0 ? [...found.slice(0, MAX_WARNINGS), `${more} more warnings, which are not listed`] : found;
}

function troubles(named: readonly GraphCredential[], states: readonly CredentialState[]): string[] {
  return named.flatMap((one, i) => {
    const text = trouble(one, states[i]!);
    return text === undefined ? [] : [`${text}; a run needs it`];
  });
}

/** `{{ }}` where it stays as it is; in scripts that is what everybody expects. */
function literalHoles({ nodes }: CheckedGraph): string[] {
  return nodes.flatMap((typed) => {
    const { type, config, pointer } = worker(typed);
    return Object.entries(config)
      .filter(([name]) => name !== 'script' && !type.holes?.includes(name))
      .flatMap(([name, value]) => holed(value, pointerTo(pointer, name)))
      .map((at) => `${shownPointer(at)} holds {{ }}, which is not filled there; write {"$expr": "…"}`);
  });
}

function holed(value: Json, pointer: string): string[] {
  if (typeof value === 'string') {
    const split = value.includes('{{') ? splitHoles(value) : { parts: [] };
    return 'parts' in split && split.parts.some((part) => typeof part !== 'string') ? [pointer] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one, i) => holed(one, pointerTo(pointer, i)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === '$expr' ? [] : holed(one, pointerTo(pointer, name))));
}

/** How many ways to the nodes before a node are looked at in all; in graphs with more, some are left out. */
const MAX_WAYS = 200_000;

/** A node that needs both ways of a condition never runs. */
function exclusiveJoins({ document, nodes }: CheckedGraph): string[] {
  const edges = edgesTo(document.edges ?? []);
  let left = MAX_WAYS;
  return nodes.flatMap(({ node }) => {
    if (node.join !== undefined) return [];
    const ways = new Map<string, { way: string; from: string }>();
    for (const { from } of edges.get(node.id) ?? [])
      for (const { from: choice, when } of edges.get(from) ?? []) {
        if (--left < 0) return [];
        if (when === undefined) continue;
        const known = ways.get(choice);
        if (known && known.way !== String(when) && known.from !== from)
          return [
            `node ${node.id} needs ${known.from} and ${from}, of which ${choice} chooses one; write "join": "any"`,
          ];
        ways.set(choice, { way: String(when), from });
      }
    return [];
  });
}

/**
 * A node that nothing leads to begins with the run. Where triggers begin a graph, that is at each of their events, and mostly
 * an edge that was forgotten.
 */
function orphans({ document, nodes }: CheckedGraph): string[] {
  if (!nodes.some(({ type }) => type.trigger)) return [];
  const edges = edgesTo(document.edges ?? []);
  return nodes
    .filter(({ type, node }) => !type.trigger && !edges.has(node.id))
    .map(
      ({ index, node }) =>
        `/nodes/${index} (${node.id}) has no edge from a trigger or another node: it runs whatever starts the graph; add one, or remove the node`,
    );
}

function edgesTo(edges: readonly GraphEdge[]): Map<string, GraphEdge[]> {
  const found = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const known = found.get(edge.to);
    if (known) known.push(edge);
    else found.set(edge.to, [edge]);
  }
  return found;
}
