/** The pages of the menu, as a contributed page names the one below which it stands. */
export const AREAS = [
  'overview',
  'runs',
  'events',
  'insights',
  'handlers',
  'schedules',
  'triggers',
  'hooks',
  'webhooks',
  'graphs',
  'pipelines',
  'functions',
  'connections',
  'connectors',
  'locks',
  'caches',
  'agents',
  'members',
  'audit',
  'settings',
  'plugins',
] as const;

export type ConsoleArea = (typeof AREAS)[number];

/** Pages that take panels of plugins, at their end. */
export const PLACES = ['overview', 'run', 'event', 'connections', 'agents'] as const;

export type ConsolePlace = (typeof PLACES)[number];
