import { defineError } from '../contracts/index.ts';

export const BootErrors = {
  pluginsInvalid: defineError({
    code: 'plugins_invalid',
    status: 500,
    title: 'The plugins cannot be loaded together.',
    next: 'Fix every error in the list.',
  }),
  pluginFailed: defineError({
    code: 'plugin_failed',
    status: 500,
    title: 'A plugin failed while the kernel started or stopped.',
    next: 'Check the cause in the message. If the plugin is listed in SVC_PLUGINS, remove it from the list to start svc without it.',
  }),
  diskFull: defineError({
    code: 'disk_full',
    status: 500,
    title: 'A disk has no space for the files that svc writes when it starts.',
    next: 'Free space on the disk that contains the path in the message, or raise its quota. Then start again.',
  }),
  diskFailed: defineError({
    code: 'disk_failed',
    status: 500,
    title: 'svc cannot write to a disk when it starts.',
    next: 'Check that the disk that contains the path in the message is mounted for writing and that the system reports no errors.',
  }),
  phaseTimeout: defineError({
    code: 'plugin_timeout',
    status: 500,
    title: 'A plugin took too long in one phase.',
    next: 'Find out what it is waiting for (a database, another server), or raise SVC_BOOT_TIMEOUT (milliseconds).',
  }),
} as const;
