import {
  Blocks,
  Braces,
  CalendarClock,
  Clock,
  Equal,
  GitFork,
  Globe,
  ListTree,
  type LucideIcon,
  Play,
  Radio,
  Route,
  Send,
  ShieldCheck,
  Split,
  Terminal,
  Webhook,
} from 'lucide-react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  'trigger.webhook': Webhook,
  'trigger.event': Radio,
  'trigger.schedule': CalendarClock,
  'trigger.manual': Play,
  condition: Split,
  switch: GitFork,
  fan_out: ListTree,
  set: Equal,
  delay: Clock,
  wait_signal: ShieldCheck,
  event: Radio,
  emit: Send,
  shell: Terminal,
  code: Braces,
  workflow: Route,
  http: Globe,
};

/** The icon of a type of node; those of connectors share one. */
export const iconOf = (type: string): LucideIcon => (Object.hasOwn(ICONS, type) ? ICONS[type]! : Blocks);

/** What a type is called where its title is not known: `Wait signal`, `Post message`. */
export function typeWords(type: string): string {
  const text = type
    .replace(/^trigger\./, '')
    .replace(/^.*\./, '')
    .replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
