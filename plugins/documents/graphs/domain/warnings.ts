import type { CredentialState } from '../../../secrets/credentials/contract.ts';
import type { GraphEdge } from '../generated/graph.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import { type GraphCredential, describeProblem } from './credentials.ts';
import { truncatePointer } from './findings.ts';
import { type CheckedGraph, EACH, everyNode, withoutBody, workNode } from './graph.ts';
import { splitInterpolations } from '../contract.ts';
import { isObject } from './values.ts';

const MAX_WARNINGS = 50;

/** Lists what is allowed but probably a mistake. */
export function warningsOf(
  graph: CheckedGraph,
  named: readonly GraphCredential[],
  states: readonly CredentialState[],
  unknown_variables: readonly UnknownVariable[],
): string[] {
  const warnings = [
    ...credentialWarnings(named, states),
    ...unknown_variables.map(describeUnknownVariable),
    ...findUnfilledTemplates(graph),
    ...graphsIn(graph).flatMap(findExclusiveJoins),
    ...findOrphans(graph),
  ];
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more warnings, which are not listed`] : warnings;
}

function credentialWarnings(named: readonly GraphCredential[], states: readonly CredentialState[]): string[] {
  return named.flatMap((one, i) => {
    const text = describeProblem(one, states[i]!);
    return text === undefined ? [] : [needed(text)];
  });
}

/** A save accepts a credential that cannot be used yet. */
export const needed = (text: string): string => `${text}; a run needs it`;

/** A variable that neither the project nor its org has, and the expression that reads it. */
export interface UnknownVariable {
  name: string;
  pointer: string;
  /** The known name that is most similar, if one is. */
  similar: string | undefined;
}

const describeUnknownVariable = ({ name, pointer, similar }: UnknownVariable): string =>
  similar === undefined
    ? `${pointer} reads vars.${name}, which the project does not have; set it with \`svc var set ${name}\``
    : `${pointer} reads vars.${name}, which the project does not have; did you mean vars.${similar}?`;

/** A graph and those of its loops. */
const graphsIn = (graph: CheckedGraph): CheckedGraph[] => [
  graph,
  ...[...everyNode(graph)].flatMap(({ typed }) => typed.body ?? []),
];

/** Finds `{{ }}` in members where it is not evaluated. Scripts are exempt: braces are ordinary there. */
function findUnfilledTemplates(graph: CheckedGraph): string[] {
  return [...everyNode(graph)].flatMap(({ typed, document_pointer }) => {
    const { type, config, pointer } = workNode(typed);
    return Object.entries(type.type === EACH ? withoutBody(config) : config)
      .filter(([name]) => name !== 'script' && !type.holes?.includes(name))
      .flatMap(([name, value]) => findTemplates(value, pointerTo(document_pointer + pointer, name)))
      .map((at) => `${truncatePointer(at)} contains {{ }}, which is not evaluated there; write {"$expr": "…"}`);
  });
}

function findTemplates(value: Json, pointer: string): string[] {
  if (typeof value === 'string') {
    const split = value.includes('{{') ? splitInterpolations(value) : { parts: [] };
    return 'segments' in split && split.segments.some((segment) => typeof segment !== 'string') ? [pointer] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one, i) => findTemplates(one, pointerTo(pointer, i)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === '$expr' ? [] : findTemplates(one, pointerTo(pointer, name)),
  );
}

/** The number of paths that are followed in all. In larger graphs some nodes are not checked. */
const MAX_PATHS = 200_000;

/** A node that needs both ways of a condition never runs. */
function findExclusiveJoins({ document, nodes }: CheckedGraph): string[] {
  const edges = groupByTarget(document.edges ?? []);
  let remaining = MAX_PATHS;
  return nodes.flatMap(({ node }) => {
    if (node.join !== undefined) return [];
    const paths = new Map<string, { case_name: string; from: string }>();
    for (const { from } of edges.get(node.id) ?? [])
      for (const { from: choice, when } of edges.get(from) ?? []) {
        if (--remaining < 0) return [];
        if (when === undefined) continue;
        const other_path = paths.get(choice);
        if (other_path && other_path.case_name !== String(when) && other_path.from !== from)
          return [
            `node ${node.id} needs both ${other_path.from} and ${from}, but ${choice} chooses only one of them; write "join": "any"`,
          ];
        paths.set(choice, { case_name: String(when), from });
      }
    return [];
  });
}

/**
 * Finds nodes without incoming edges. They start with the run; in a graph with triggers, this is at each of their
 * events and mostly means a forgotten edge.
 */
function findOrphans({ document, nodes }: CheckedGraph): string[] {
  if (!nodes.some(({ type }) => type.trigger)) return [];
  const edges = groupByTarget(document.edges ?? []);
  return nodes
    .filter(({ type, node }) => !type.trigger && !edges.has(node.id))
    .map(
      ({ index, node }) =>
        `/nodes/${index} (${node.id}) has no edge from a trigger or another node: it runs whatever starts the graph; add one, or remove the node`,
    );
}

function groupByTarget(edges: readonly GraphEdge[]): Map<string, GraphEdge[]> {
  const edges_by_target = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const siblings = edges_by_target.get(edge.to);
    if (siblings) siblings.push(edge);
    else edges_by_target.set(edge.to, [edge]);
  }
  return edges_by_target;
}
