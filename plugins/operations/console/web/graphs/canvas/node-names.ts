import { brandTitle } from '../../connectors/names.ts';
import type { GraphNode } from '../document.ts';
import { connectorOf } from './connector.ts';

/** What people call the types that are built in. */
const NAMES: Readonly<Record<string, string>> = {
  'trigger.webhook': 'Webhook',
  'trigger.event': 'Event',
  'trigger.schedule': 'Schedule',
  'trigger.manual': 'Manual start',
  condition: 'Condition',
  switch: 'Switch',
  fan_out: 'For each item',
  each: 'Loop',
  set: 'Set values',
  delay: 'Delay',
  wait_signal: 'Wait for a signal',
  wait_any: 'Wait for the first',
  event: 'Wait for an event',
  emit: 'Emit an event',
  shell: 'Shell',
  code: 'Code',
  workflow: 'Workflow',
  http: 'HTTP request',
};

const shortType = (type: string): string => type.slice(type.lastIndexOf('.') + 1);

/** What a type is called: `Wait for a signal`; the action of a connector without the connector. */
export function typeName(type: string): string {
  if (Object.hasOwn(NAMES, type)) return NAMES[type]!;
  const text = shortType(type).replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The same with the connector: `Slack · Post message`. */
export function fullTypeName(type: string): string {
  const connector = connectorOf(type);
  return connector === undefined ? typeName(type) : `${brandTitle(connector)} · ${typeName(type)}`;
}

/** The number of an id that nobody chose; empty without one, undefined where somebody has chosen the id. */
function numberOf({ id, type }: Pick<GraphNode, 'id' | 'type'>): string | undefined {
  const stem = shortType(type);
  if (id === stem) return '';
  return id.startsWith(`${stem}_`) && /^\d+$/.test(id.slice(stem.length + 1)) ? id.slice(stem.length + 1) : undefined;
}

type Named = Pick<GraphNode, 'id' | 'type' | 'title'>;

/** How people know a node: by its title, by an id that somebody chose, or by its type: `HTTP request 2`. */
export function nodeName(node: Named): string {
  if (node.title) return node.title;
  const number = numberOf(node);
  return number === undefined ? node.id : `${typeName(node.type)} ${number}`.trimEnd();
}

/** What is said below the name: the type where the name does not say it, else the system, else the id of expressions. */
export function belowName(node: Named): string {
  if (node.title || numberOf(node) === undefined) return fullTypeName(node.type);
  const connector = connectorOf(node.type);
  return connector === undefined ? node.id : brandTitle(connector);
}
