import { edgeKey, type GraphDocument, type GraphNode } from '../document.ts';
import type { Mark } from '../canvas/marks.ts';
import { BODY_MEMBERS, bodyOf, isLoop, type LoopPath } from './loops.ts';

/** What the check says of a document: faults that a save refuses, and warnings. */
export interface Finding {
  /** In the document; empty: of all of it. */
  pointer: string;
  message: string;
  warning: boolean;
}

/** A finding where one can mend it. */
export interface Placed extends Finding {
  node?: string;
  edge?: string;
  /** Below the node: `/config/url`. */
  within: string;
  /** The loops in which that is, outermost first, each with where it is below the node of the loop. */
  loops: readonly InLoop[];
}

interface InLoop {
  node: string;
  within: string;
}

const read = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
export const pointerPart = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** `/nodes/0/config/url must be …` as pointer and message. Names in a pointer may have spaces: those of the document win. */
export function splitProblem(text: string, document: unknown): Omit<Finding, 'warning'> {
  if (!text.startsWith('/')) return { pointer: '', message: text };
  let value = document;
  let end = 0;
  while (text[end] === '/') {
    const at = end;
    const known = Object.keys(typeof value === 'object' && value !== null ? value : {})
      .filter((name) => [' ', '/'].some((after) => text.startsWith(`/${pointerPart(name)}${after}`, at)))
      .toSorted((a, b) => b.length - a.length)[0];
    const part = known === undefined ? /^[^/ ]*/.exec(text.slice(at + 1))![0] : pointerPart(known);
    value = known === undefined ? undefined : (value as Record<string, unknown>)[known];
    end = at + 1 + part.length;
  }
  return { pointer: text.slice(0, end), message: text.slice(end).trim() };
}

/** At which node or edge of the document that was checked, or of a loop in it. */
export function placed(finding: Finding, document: GraphDocument, loops: readonly InLoop[] = []): Placed {
  const { nodes, edges = [] } = document;
  const [, list, index = '', ...rest] = finding.pointer.split('/');
  const within = rest.map((part) => `/${part}`).join('');
  const node = list === 'nodes' ? nodes[Number(index)] : undefined;
  if (node) {
    const [, config, member = ''] = within.split('/');
    const body = config === 'config' && BODY_MEMBERS.some((one) => one === member) ? drawnBody(node) : undefined;
    // The loop is where its nodes are missing, and its members that are lists as such.
    if (body && (body.nodes.length > 0 || member !== 'nodes'))
      return placed({ ...finding, pointer: within.slice('/config'.length) }, body, [
        ...loops,
        { node: node.id, within },
      ]);
    // The list says how people know the node; its id is for those who have the pointer alone.
    const own = `(${node.id}) `;
    const message = finding.message.startsWith(own) ? finding.message.slice(own.length) : finding.message;
    return { ...finding, message, node: node.id, within, loops };
  }
  if (list === 'edges' && edges[Number(index)]) {
    const edge = edges[Number(index)]!;
    return { ...finding, edge: edgeKey(edge), node: edge.from, within, loops };
  }
  // Warnings about the ways to a node name it.
  const named = finding.pointer === '' ? /^node (\S+) /.exec(finding.message)?.[1] : undefined;
  if (named === undefined) return { ...finding, within: finding.pointer, loops };
  if (nodes.some(({ id }) => id === named)) return { ...finding, node: named, within: '', loops };
  for (const loop of nodes) {
    const body = drawnBody(loop);
    const inside = body && placed(finding, body, [...loops, { node: loop.id, within: '/config/nodes' }]);
    if (inside?.node !== undefined) return inside;
  }
  return { ...finding, within: finding.pointer, loops };
}

function drawnBody(node: GraphNode): GraphDocument | undefined {
  const body = isLoop(node) ? bodyOf(node) : undefined;
  return body instanceof Error ? undefined : body;
}

/** What one sees of the findings in the loop that is open: those of the loops in it stand at their nodes. */
export function seenFrom(findings: readonly Placed[], path: LoopPath): Placed[] {
  return findings.flatMap((one) => {
    if (path.some((id, depth) => one.loops[depth]?.node !== id)) return [];
    const loop = one.loops[path.length];
    if (!loop) return [one];
    const { edge: _, ...rest } = one;
    return [{ ...rest, ...loop, message: findingWords(one), loops: one.loops.slice(0, path.length) }];
  });
}

/** Those of one field: what is said of the field and of what it holds and has no field of its own. */
export const atField = (findings: readonly Placed[], pointer: string, deep = false): Placed[] =>
  findings.filter(({ within }) => within === pointer || (deep && within.startsWith(`${pointer}/`)));

/** `order › headers: must be …`, `Pack parcel needs script`, for a list. `nameOf` says how people know a node. */
export function findingWords({ node, within, message }: Placed, nameOf: (id: string) => string = (id) => id): string {
  const field = within
    .split('/')
    .slice(1)
    .filter((part) => part !== 'config')
    .map(read)
    .join(' › ');
  const name = node === undefined ? '' : nameOf(node);
  if (message === 'is required' && name && field) return `${name} needs ${field}`;
  return [name, field].filter(Boolean).join(' › ') + (name || field ? ': ' : '') + message;
}

/** What the cards of nodes with findings say. */
export function marksOf(findings: readonly Placed[]): Map<string, Mark> {
  const named = findings.flatMap((one) => (one.node === undefined ? [] : [{ ...one, node: one.node }]));
  const byNode = Map.groupBy(named, ({ node }) => node);
  return new Map(
    [...byNode].map(([node, all]) => {
      const faults = all.filter(({ warning }) => !warning).length;
      const [tone, n, word] =
        faults > 0 ? (['bad', faults, 'problem'] as const) : (['waiting', all.length, 'warning'] as const);
      return [
        node,
        { tone, status: `${n} ${word}${n === 1 ? '' : 's'}`, note: all.map((one) => findingWords(one)).join('\n') },
      ];
    }),
  );
}
