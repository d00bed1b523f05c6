import { defineError } from '../contracts/index.ts';

export const BootErrors = {
  settingInvalid: defineError({
    code: 'setting_invalid',
    status: 500,
    title: 'A setting has a value that svc cannot use.',
    next: 'Correct the variable that is named and start again.',
  }),
  pluginsInvalid: defineError({
    code: 'plugins_invalid',
    status: 500,
    title: 'The plugins do not fit together.',
    next: 'Correct every fault that is listed; `svc plugins` prints the tree once they fit.',
  }),
  pluginFailed: defineError({
    code: 'plugin_failed',
    status: 500,
    title: 'A plugin failed while the kernel was starting or stopping.',
    next: 'Read the cause; leave the plugin out of SVC_PLUGINS to start without it.',
  }),
  phaseTimeout: defineError({
    code: 'plugin_timeout',
    status: 500,
    title: 'A plugin took too long in one phase.',
    next: 'See what it waits for (a database, a network peer), or raise SVC_BOOT_TIMEOUT (milliseconds).',
  }),
} as const;
