import { edgeKey, type GraphDocument } from '../document.ts';
import type { Mark } from '../canvas/marks.ts';

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

/** At which node or edge of the document that was checked. */
export function placed(finding: Finding, { nodes, edges = [] }: GraphDocument): Placed {
  const [, list, index = '', ...rest] = finding.pointer.split('/');
  const within = rest.map((part) => `/${part}`).join('');
  if (list === 'nodes' && nodes[Number(index)]) {
    const { id } = nodes[Number(index)]!;
    // The list says how people know the node; its id is for those who have the pointer alone.
    const own = `(${id}) `;
    const message = finding.message.startsWith(own) ? finding.message.slice(own.length) : finding.message;
    return { ...finding, message, node: id, within };
  }
  if (list === 'edges' && edges[Number(index)]) {
    const edge = edges[Number(index)]!;
    return { ...finding, edge: edgeKey(edge), node: edge.from, within };
  }
  // Warnings about the ways to a node name it.
  const named = finding.pointer === '' ? /^node (\S+) /.exec(finding.message)?.[1] : undefined;
  if (named !== undefined && nodes.some(({ id }) => id === named)) return { ...finding, node: named, within: '' };
  return { ...finding, within: finding.pointer };
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
