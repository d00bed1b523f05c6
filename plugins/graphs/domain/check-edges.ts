import type { GraphEdge } from '../generated/graph.ts';
import type { Findings } from './findings.ts';
import type { TypedNode } from './graph.ts';
import type { Guesses } from './guesses.ts';

const MAX_CASES_SHOWN = 20;
const MAX_SHOWN = 64;

export interface Ends {
  ids: ReadonlySet<string>;
  guesses: Guesses;
  typedOf(id: string): TypedNode | undefined;
}

/** Faults of edges: ends that are no nodes, cases that a node does not have, doubles. Edges without an end have `''`. */
export function checkEdges(edges: readonly GraphEdge[], ends: Ends, findings: Findings): void {
  const cases = new Cases();
  for (const [i, edge] of edges.entries()) checkOne(edge, `/edges/${i}`, ends, cases, findings);
  checkDoubles(edges, findings);
}

function checkOne(
  { from, to, when }: GraphEdge,
  pointer: string,
  { ids, guesses, typedOf }: Ends,
  cases: Cases,
  findings: Findings,
): void {
  for (const [end, id] of Object.entries({ from, to }))
    if (id !== '' && !ids.has(id)) findings.add(`${pointer}/${end}`, () => noNode(id, guesses));
  if (typedOf(to)?.type.trigger)
    findings.add(`${pointer}/to`, `${to} is a trigger, which begins a graph; nothing can lead to it`);
  const source = typedOf(from);
  if (when === undefined || !source) return;
  if (!cases.of(source)) {
    const { node, type } = source;
    findings.add(`${pointer}/when`, `belongs to edges from a condition or a switch; ${node.id} is a ${type.type}`);
  } else if (!cases.of(source)!.has(when)) findings.add(`${pointer}/when`, () => noCase(when, source, cases));
}

/** The cases of each node, read once however many edges it has. */
class Cases {
  readonly #known = new Map<TypedNode, ReadonlySet<unknown> | undefined>();

  of(typed: TypedNode): ReadonlySet<unknown> | undefined {
    if (!this.#known.has(typed)) {
      const { type, config } = typed;
      this.#known.set(typed, type.cases && new Set(type.cases(config)));
    }
    return this.#known.get(typed);
  }
}

const shown = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.slice(0, MAX_SHOWN) : value);

function noCase(when: boolean | string, source: TypedNode, cases: Cases): string {
  const all = [...cases.of(source)!];
  const known = all.slice(0, MAX_CASES_SHOWN).map(shown).join(', ');
  return `${shown(when)} is not a case of ${source.node.id}; its cases: ${known}${all.length > MAX_CASES_SHOWN ? ', …' : ''}`;
}

/** Says that there is no such node, and which one was probably meant. */
export function noNode(id: string, guesses: Guesses): string {
  const guess = guesses.of(id);
  return `the graph has no node ${id.slice(0, MAX_SHOWN)}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

/** The same edge twice, and an edge without a case beside one with a case. */
function checkDoubles(edges: readonly GraphEdge[], findings: Findings): void {
  const seen = new Map<string, { at: number; when: Set<unknown> }>();
  for (const [i, { from, to, when }] of edges.entries()) {
    if (from === '' || to === '') continue;
    const key = `${from}\n${to}`;
    const known = seen.get(key);
    const pointer = `/edges/${i}`;
    if (!known) seen.set(key, { at: i, when: new Set([when]) });
    else if (known.when.has(when)) findings.add(pointer, `is the same as edge ${known.at}`);
    else if (when === undefined || known.when.has(undefined))
      findings.add(pointer, `leads from ${from} to ${to} like edge ${known.at}, with another condition`);
    else known.when.add(when);
  }
}
