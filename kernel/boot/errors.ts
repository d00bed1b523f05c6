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
    next: 'Read the cause. To start without the plugin, remove it from SVC_PLUGINS.',
  }),
  phaseTimeout: defineError({
    code: 'plugin_timeout',
    status: 500,
    title: 'A plugin took too long in one phase.',
    next: 'Find out what it waits for (a database, another server), or raise SVC_BOOT_TIMEOUT (milliseconds).',
  }),
} as const;
