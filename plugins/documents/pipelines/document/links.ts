import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  type Node,
  visit,
  type YAMLMap,
} from 'yaml';

/** The aliases and duplicates of a document, found in one pass. */
export interface Links {
  targets: ReadonlyMap<Alias, Node>;
  /** Offsets of the uses of anchors. */
  uses: readonly number[];
  /** Offsets of keys that their map has already. */
  twice: readonly number[];
  /** Offsets of keys that are lists or maps. */
  collections: readonly number[];
}

export function collectLinks(document: Document): Links {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  const uses: number[] = [];
  const twice: number[] = [];
  const collections: number[] = [];
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      uses.push(node.range?.[0] ?? 0);
      const target = anchors.get(node.source);
      if (target) targets.set(node, target);
      return;
    }
    if (isPair(node)) {
      const key = node.key as Node | null;
      if (isCollection(isAlias(key) ? anchors.get(key.source) : key)) collections.push(key?.range?.[0] ?? 0);
      return;
    }
    if (!isNode(node)) return;
    if ('anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isMap(node)) for (const at of findRepeatedKeys(node)) twice.push(at);
  });
  return { targets, uses, twice, collections };
}

function findRepeatedKeys({ items }: YAMLMap): number[] {
  const seen = new Set<unknown>();
  const offsets: number[] = [];
  for (const { key } of items) {
    // A merge may be written several times.
    if (!isScalar(key) || key.value === '<<') continue;
    if (seen.has(key.value)) offsets.push(key.range?.[0] ?? 0);
    seen.add(key.value);
  }
  return offsets;
}
