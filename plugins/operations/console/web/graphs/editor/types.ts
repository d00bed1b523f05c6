import type { GraphNodeTypeView } from '../../../../../../cli/generated/api.ts';
import { brandTitle } from '../../connectors/names.ts';
import { connectorOf } from '../canvas/connector.ts';
import { fullTypeName, typeName } from '../canvas/node-names.ts';

export type NodeType = GraphNodeTypeView;
export interface Group {
  title: string;
  types: readonly NodeType[];
}

const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['Logic and data', ['condition', 'switch', 'fan_out', 'each', 'set', 'emit', 'workflow']],
  ['Waits', ['delay', 'wait_signal', 'event', 'wait_any']],
  ['Programs', ['shell', 'code']],
  ['Requests', ['http']],
];
const FIRST = ['Triggers', ...GROUPS.map(([title]) => title), 'Others'];

function groupOf({ type, trigger }: NodeType): string {
  if (trigger) return 'Triggers';
  const connector = connectorOf(type);
  const builtIn = GROUPS.find(([, types]) => types.includes(type))?.[0];
  return builtIn ?? (connector === undefined ? 'Others' : brandTitle(connector));
}

/** An action has a title of its own; what is built in has a short name, and its title says what it does. */
export const nameOfType = ({ type, title }: Pick<NodeType, 'type' | 'title'>): string =>
  connectorOf(type) === undefined ? typeName(type) : title.replace(/^[^:]+: /, '');

/** Those in which all words occur, in groups: what is built in first, then each connector. */
export function found(types: readonly NodeType[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fit = types.filter(({ type, title }) => {
    const all = `${type} ${title} ${fullTypeName(type)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const rank = (title: string) => (FIRST.indexOf(title) + FIRST.length + 1) % (FIRST.length + 1);
  return [...Map.groupBy(fit, groupOf)]
    .map(([title, list]) => ({ title, types: list }))
    .toSorted((a, b) => rank(a.title) - rank(b.title) || (a.title < b.title ? -1 : 1));
}
