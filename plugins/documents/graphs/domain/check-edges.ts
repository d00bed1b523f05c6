import type { GraphEdge } from '../generated/graph.ts';
import type { Findings } from './findings.ts';
import type { TypedNode } from './graph.ts';
import type { NameSuggester } from './name-suggester.ts';

const MAX_LISTED_CASES = 20;
const MAX_VALUE_LENGTH = 64;

export interface EdgeContext {
  ids: ReadonlySet<string>;
  guesses: NameSuggester;
  findNode(id: string): TypedNode | undefined;
}

/**
 * Reports edges whose ends are not nodes, cases that a node does not have, and duplicates. Edges without an end have
 * `''`.
 */
export function checkEdges(edges: readonly GraphEdge[], context: EdgeContext, findings: Findings): void {
  const cases = new Cases();
  for (const [i, edge] of edges.entries()) checkEdge(edge, `/edges/${i}`, context, cases, findings);
  checkDuplicates(edges, findings);
}

function checkEdge(
  { from, to, when }: GraphEdge,
  pointer: string,
  { ids, guesses, findNode }: EdgeContext,
  cases: Cases,
  findings: Findings,
): void {
  for (const [end, id] of Object.entries({ from, to }))
    if (id !== '' && !ids.has(id)) findings.add(`${pointer}/${end}`, () => describeUnknownNode(id, guesses));
  if (findNode(to)?.type.trigger)
    findings.add(`${pointer}/to`, `${to} is a trigger, which starts a graph; no edge can lead to it`);
  const source = findNode(from);
  if (when === undefined || !source) return;
  if (!cases.find(source)) {
    const { node, type } = source;
    findings.add(`${pointer}/when`, `is only for edges from a condition or a switch; ${node.id} is a ${type.type}`);
  } else if (!cases.find(source)!.has(when))
    findings.add(`${pointer}/when`, () => describeUnknownCase(when, source, cases));
}

/** The cases of each node, read once however many edges it has. */
class Cases {
  readonly #cache = new Map<TypedNode, ReadonlySet<unknown> | undefined>();

  find(typed: TypedNode): ReadonlySet<unknown> | undefined {
    if (!this.#cache.has(typed)) {
      const { type, config } = typed;
      this.#cache.set(typed, type.cases && new Set(type.cases(config)));
    }
    return this.#cache.get(typed);
  }
}

const formatValue = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_VALUE_LENGTH) : value);

function describeUnknownCase(when: boolean | string, source: TypedNode, cases: Cases): string {
  const all = [...cases.find(source)!];
  const listed = all.slice(0, MAX_LISTED_CASES).map(formatValue).join(', ');
  return `${formatValue(when)} is not a case of ${source.node.id}; its cases: ${listed}${all.length > MAX_LISTED_CASES ? ', …' : ''}`;
}

/** Describes a reference to a node that does not exist, and suggests a similar one. */
export function describeUnknownNode(id: string, guesses: NameSuggester): string {
  const guess = guesses.suggest(id);
  return `the graph has no node ${id.slice(0, MAX_VALUE_LENGTH)}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

/** Reports an edge that occurs twice, and an edge without a case next to one with a case. */
function checkDuplicates(edges: readonly GraphEdge[], findings: Findings): void {
  const seen = new Map<string, { at: number; when: Set<unknown> }>();
  for (const [i, { from, to, when }] of edges.entries()) {
    if (from === '' || to === '') continue;
    const key = `${from}\n${to}`;
    const first = seen.get(key);
    const pointer = `/edges/${i}`;
    if (!first) seen.set(key, { at: i, when: new Set([when]) });
    else if (first.when.has(when)) findings.add(pointer, `is the same as edge ${first.at}`);
    else if (when === undefined || first.when.has(undefined))
      findings.add(pointer, `leads from ${from} to ${to} like edge ${first.at}, but with a different condition`);
    else first.when.add(when);
  }
}
