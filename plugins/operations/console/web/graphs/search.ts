export const TABS = ['versions', 'compare', 'run'] as const;
export type Tab = (typeof TABS)[number];

/** What the address of a graph's page says. */
export interface GraphSearch {
  /** Absent: the graph itself. */
  tab?: Tab;
  /** Absent: the latest. */
  version?: number;
  /** Id of a node. */
  node?: string;
  /** Versions that are compared. */
  from?: number;
  to?: number;
}

const numberOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

/** Anything else that stands in an address is left out. */
export function readGraphSearch(search: Record<string, unknown>): GraphSearch {
  const tab = TABS.find((one) => one === search.tab);
  const [version, from, to] = [search.version, search.from, search.to].map(numberOf);
  return {
    ...(tab && { tab }),
    ...(version !== undefined && { version }),
    ...(typeof search.node === 'string' && search.node !== '' && { node: search.node }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** What a list of graphs is narrowed by. */
export const readGraphWords = ({ q }: Record<string, unknown>): { q?: string } => {
  const text = typeof q === 'number' ? String(q) : q;
  return typeof text === 'string' && text.trim() !== '' ? { q: text.trim() } : {};
};
