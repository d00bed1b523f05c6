import { type Alias, type Document, isAlias, isMap, isNode, isScalar, type Node, visit, type YAMLMap } from 'yaml';

/** What stands for what in a document, found in one walk. */
export interface Links {
  targets: ReadonlyMap<Alias, Node>;
  /** Offsets of the uses of anchors. */
  uses: readonly number[];
  /** Offsets of keys that their map has already. */
  twice: readonly number[];
}

export function linked(document: Document): Links {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const uses: number[] = [];
  const twice: number[] = [];
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      uses.push(node.range?.[0] ?? 0);
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
      return;
    }
    if (!isNode(node)) return;
    if ('anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isMap(node)) for (const at of repeated(node)) twice.push(at);
  });
  return { targets, uses, twice };
}

function repeated({ items }: YAMLMap): number[] {
  const seen = new Set<unknown>();
  const found: number[] = [];
  for (const { key } of items) {
    // A merge may be written several times.
    if (!isScalar(key) || key.value === '<<') continue;
    if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
    seen.add(key.value);
  }
  return found;
}
