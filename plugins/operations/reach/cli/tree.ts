import type { Api, Output } from '../../../../cli/contract.ts';

import { isEndOfCancelled } from './assertions.ts';

type Node = Api.Reach['nodes'][number];
type Edge = Api.Reach['edges'][number];

/** `handler ci (untrusted)`, `unknown at build.sh:12`. */
export function describeNode({ kind, name, trusted, file, line, section }: Node): string {
  if (kind === 'unknown')
    return `unknown at ${[file, line].filter((one) => one !== undefined).join(':')}${section ? `, ${section}` : ''}`;
  if (kind === 'secrets' || kind === 'emit' || kind === 'run' || kind === 'id-token') return name;
  const label = kind === 'lease' ? 'lock' : kind;
  return `${label} ${name}${trusted === false ? ' (untrusted)' : ''}`;
}

/** The event at the top, what sends it, and below it what it reaches. A node that occurs again is shown without its own. */
export function formatTree({ root, nodes, edges }: Api.Reach, { colours }: Output): string {
  const by_id = new Map(nodes.map((node) => [node.id, node]));
  const by_source = Map.groupBy(
    edges.filter(({ relation }) => relation !== 'sends'),
    ({ from }) => from,
  );
  const printed = new Set<string>();
  const lines: string[] = [describe(root)];
  for (const { from } of edges.filter(({ relation, to }) => relation === 'sends' && to === root))
    lines.push(`  from ${describe(from)}`);
  const begin = lines.length;
  const add = (id: string, indent: string): void => {
    printed.add(id);
    for (const edge of by_source.get(id) ?? []) addEdge(edge, indent);
  };
  add(root, '  ');
  if (lines.length === begin) lines.push('  reaches nothing');
  return lines.join('\n');

  function describe(id: string): string {
    const node = by_id.get(id);
    return node ? describeNode(node) : id;
  }

  function addEdge({ to, relation, why, rejection }: Edge, indent: string): void {
    const node = by_id.get(to);
    const text = node ? describeNode(node) : to;
    const repeated = printed.has(to) && by_source.has(to) ? ' …' : '';
    const target = node?.kind === 'unknown' ? colours.yellow(text) : text;
    if (rejection !== undefined) {
      lines.push(`${indent}${relation} ${target}: ${why}`, `${indent}  ${colours.dim(`rejected: ${rejection}`)}`);
      return;
    }
    const reason = node?.kind === 'unknown' ? why : `${why}${repeated}`;
    lines.push(`${indent}${relation} ${target}: ${reason}`);
    if (relation === 'cancels')
      for (const end of (by_source.get(to) ?? []).filter(isEndOfCancelled)) addEdge(end, `${indent}  `);
    else if (!printed.has(to)) add(to, `${indent}  `);
  }
}
