import { defineError } from '../contracts/index.ts';

const next = 'Correct or remove the plugin that is named (SVC_PLUGINS); `svc plugins` prints the tree.';

export const RegistryErrors = {
  registrationConflict: defineError({
    code: 'plugin_registration_conflict',
    status: 500,
    title: 'Two plugins claim the same service or contribution.',
    next,
  }),
  registrationClosed: defineError({
    code: 'plugin_registration_closed',
    status: 500,
    title: 'A plugin declared something after registration ended.',
    next,
  }),
  contributionInvalid: defineError({
    code: 'plugin_contribution_invalid',
    status: 500,
    title: 'A plugin contributed something that its extension point refuses.',
    next,
  }),
  serviceUnbound: defineError({
    code: 'plugin_service_unbound',
    status: 500,
    title: 'A service is used that no plugin provides.',
    next: 'Load the plugin that provides it, or name it in `requires` of the one that wants it.',
  }),
  serviceCycle: defineError({
    code: 'plugin_service_cycle',
    status: 500,
    title: 'Services need each other to be made.',
    next: 'Resolve one of them later, inside a method.',
  }),
} as const;
