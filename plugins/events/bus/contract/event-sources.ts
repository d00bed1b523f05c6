/** What can record an event. */
export const EVENT_SOURCES = [
  'emit',
  'hook',
  'forge',
  'lifecycle',
  'schedule',
  'manual',
  'spawn',
  'account',
  'trigger',
] as const;

export type EventSource = (typeof EVENT_SOURCES)[number];
