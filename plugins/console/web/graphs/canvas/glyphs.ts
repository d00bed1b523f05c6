const GLYPHS: Readonly<Record<string, string>> = {
  'trigger.webhook': '⇥',
  'trigger.event': '⇥',
  'trigger.schedule': '⇥',
  'trigger.manual': '⇥',
  condition: '◇',
  switch: '◈',
  fan_out: '≡',
  set: '=',
  delay: '◷',
  wait_signal: '◔',
  event: '◔',
  emit: '⇢',
  shell: '$',
  code: '{}',
  workflow: '▤',
  http: '⇄',
};

/** A sign for a type of node; those of connectors share one. */
export const glyphOf = (type: string): string => (Object.hasOwn(GLYPHS, type) ? GLYPHS[type]! : '↗');

/** The connector of a type: `team_chat` of `team_chat.post_message`. */
export function connectorOf(type: string): string | undefined {
  const dot = type.indexOf('.');
  return dot > 0 && !type.startsWith('trigger.') ? type.slice(0, dot) : undefined;
}
