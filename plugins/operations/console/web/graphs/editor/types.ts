import type { GraphNodeTypeView } from '../../../../../../cli/generated/api.ts';
import { connectorOf } from '../canvas/connector.ts';

export type NodeType = GraphNodeTypeView;
export interface Group {
  title: string;
  types: readonly NodeType[];
}

const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['Logic and data', ['condition', 'switch', 'fan_out', 'set', 'emit', 'workflow']],
  ['Waits', ['delay', 'wait_signal', 'event']],
  ['Programs', ['shell', 'code']],
  ['Requests', ['http']],
];
const FIRST = ['Triggers', ...GROUPS.map(([title]) => title), 'Others'];

function groupOf({ type, trigger }: NodeType): string {
  if (trigger) return 'Triggers';
  return GROUPS.find(([, types]) => types.includes(type))?.[0] ?? connectorOf(type) ?? 'Others';
}

/** Those in which all words occur, in groups: what is built in first, then each connector. */
export function found(types: readonly NodeType[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fit = types.filter(({ type, title }) => {
    const all = `${type} ${title}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const rank = (title: string) => (FIRST.indexOf(title) + FIRST.length + 1) % (FIRST.length + 1);
  return [...Map.groupBy(fit, groupOf)]
    .map(([title, list]) => ({ title, types: list }))
    .toSorted((a, b) => rank(a.title) - rank(b.title) || (a.title < b.title ? -1 : 1));
}
