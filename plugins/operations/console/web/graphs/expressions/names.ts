import type { Scope } from '../../api/paths.ts';

/** Values for the names of an expression, as a run had them. */
export interface Sample {
  input?: unknown;
  nodes?: Readonly<Record<string, { output?: unknown; status: string; error: unknown; case: unknown }>>;
  item?: unknown;
  index?: number;
  run?: Readonly<Record<string, unknown>>;
  event?: unknown;
}

/** What an expression may name at one place of a graph. */
export interface ExpressionNames {
  scope: Scope;
  /** Nodes that are surely over there. */
  nodes: readonly string[];
  /** `item` and `index` are known. */
  items?: boolean;
  /** A predicate of an event sees nothing but `event`. */
  event?: boolean;
  /** Absent: nothing has run yet, and no value is shown. */
  sample?: Sample | undefined;
  /** Of which run the sample is. */
  from?: string | undefined;
  /** Some of the sample was pinned by a person. */
  pinned?: boolean;
}

/** Ids of nodes that an expression reads, whether or not it compiles yet. */
export function nodesIn(expression: string): string[] {
  const found = [...expression.matchAll(/\bnodes\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\])/g)];
  return [...new Set(found.map(([, member, double, single]) => member ?? double ?? single ?? ''))];
}

/** The part of a sample that an expression needs: outputs may be large, and each change of the text sends it. */
export function namesFor(
  expression: string,
  { event: predicate = false, items = false, sample }: ExpressionNames,
): Record<string, unknown> {
  const { nodes = {}, event, item, index, ...rest } = sample ?? {};
  if (predicate) return { event: event ?? {} };
  const read = nodesIn(expression).filter((id) => Object.hasOwn(nodes, id));
  return {
    ...rest,
    nodes: Object.fromEntries(read.map((id) => [id, nodes[id]])),
    ...(items && { item: item ?? null, index: index ?? 0 }),
  };
}
