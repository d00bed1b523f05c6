import {
  Blocks,
  Braces,
  CalendarClock,
  Clock,
  Equal,
  GitFork,
  Globe,
  Hourglass,
  ListTree,
  type LucideIcon,
  Play,
  Radio,
  Repeat,
  Route,
  Send,
  ShieldCheck,
  Split,
  Terminal,
  Webhook,
} from 'lucide-react';
import { brandIcon } from '../../connectors/names.ts';
import type { Icon } from '../../kit/icon.ts';
import { connectorOf } from './connector.ts';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  'trigger.webhook': Webhook,
  'trigger.event': Radio,
  'trigger.schedule': CalendarClock,
  'trigger.manual': Play,
  condition: Split,
  switch: GitFork,
  fan_out: ListTree,
  each: Repeat,
  set: Equal,
  delay: Clock,
  wait_signal: ShieldCheck,
  wait_any: Hourglass,
  event: Radio,
  emit: Send,
  shell: Terminal,
  code: Braces,
  workflow: Route,
  http: Globe,
};

/** The icon of a type of node; actions have that of their system. */
export function iconOf(type: string): Icon {
  if (Object.hasOwn(ICONS, type)) return ICONS[type]!;
  const connector = connectorOf(type);
  return connector === undefined ? Blocks : brandIcon(connector);
}
