import { defineError } from '../contracts/index.ts';

export const BootErrors = {
  pluginsInvalid: defineError({
    code: 'plugins_invalid',
    status: 500,
    title: 'The plugins cannot be loaded together.',
    next: 'Correct every fault in the list. `svc plugins` then prints the tree.',
  }),
  pluginFailed: defineError({
    code: 'plugin_failed',
    status: 500,
    title: 'A plugin failed while the kernel started or stopped.',
    next: 'Read the cause. If SVC_PLUGINS names the plugin, svc starts without it once you remove it there.',
  }),
  diskFull: defineError({
    code: 'disk_full',
    status: 500,
    title: 'A disk has no room for what svc writes when it starts.',
    next: 'Free space on the disk of the path that the message names, or raise its quota. Then start again.',
  }),
  diskFailed: defineError({
    code: 'disk_failed',
    status: 500,
    title: 'A disk refuses what svc writes when it starts.',
    next: 'Check the disk of the path that the message names: whether it is mounted for writing, and whether the system reports errors of it.',
  }),
  phaseTimeout: defineError({
    code: 'plugin_timeout',
    status: 500,
    title: 'A plugin took too long in one phase.',
    next: 'Find out what it waits for (a database, another server), or raise SVC_BOOT_TIMEOUT (milliseconds).',
  }),
} as const;
