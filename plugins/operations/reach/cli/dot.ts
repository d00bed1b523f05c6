import type { Api } from '../../../../cli/contract.ts';
import { describeNode } from './tree.ts';

const SHAPES: Readonly<Record<string, string>> = {
  event: 'ellipse',
  unknown: 'note',
  secret: 'cylinder',
  credential: 'cylinder',
  account: 'cylinder',
};

/** The graph in the language of Graphviz. Rejected edges are dashed. */
export function toDot({ nodes, edges }: Api.Reach): string {
  const ids = new Map(nodes.map(({ id }, n) => [id, `n${n}`]));
  return [
    'digraph reach {',
    '  rankdir=LR; node [shape=box];',
    ...nodes.map(
      (node) => `  ${ids.get(node.id)} [label=${quote(describeNode(node))} shape=${SHAPES[node.kind] ?? 'box'}];`,
    ),
    ...edges.map(
      ({ from, to, why, rejection }) =>
        `  ${ids.get(from)} -> ${ids.get(to)} [label=${quote(rejection ?? why)}${rejection === undefined ? '' : ' style=dashed'}];`,
    ),
    '}',
  ].join('\n');
}

const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
