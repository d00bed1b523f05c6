import { defineError } from '../contracts/index.ts';

const next = 'Correct or remove the plugin shown in the message (SVC_PLUGINS). `svc plugins` prints the tree.';

export const RegistryErrors = {
  registrationConflict: defineError({
    code: 'plugin_registration_conflict',
    status: 500,
    title: 'Two plugins register the same service or contribution.',
    next,
  }),
  registrationClosed: defineError({
    code: 'plugin_registration_closed',
    status: 500,
    title: 'A plugin registered something after registration had ended.',
    next,
  }),
  contributionInvalid: defineError({
    code: 'plugin_contribution_invalid',
    status: 500,
    title: 'An extension point rejected the contribution of a plugin.',
    next,
  }),
  serviceUnbound: defineError({
    code: 'plugin_service_unbound',
    status: 500,
    title: 'No loaded plugin provides this service.',
    next: 'Load the plugin that provides it, or add it to the `requires` of the plugin that uses the service.',
  }),
  serviceCycle: defineError({
    code: 'plugin_service_cycle',
    status: 500,
    title: 'Services depend on each other in a cycle.',
    next: 'Resolve one of them later, inside a method.',
  }),
} as const;
