import { defineError } from '../../../kernel/contracts/index.ts';

export const TriggerErrors = {
  triggersFull: defineError({
    code: 'triggers_full',
    status: 409,
    title: 'The project has reached the limit for triggers.',
    next: 'Remove triggers that are no longer needed (`svc trigger rm`).',
  }),
  triggerPaused: defineError({
    code: 'trigger_paused',
    status: 409,
    title: 'The trigger is paused.',
    next: 'Resume it with `svc trigger resume`; it polls at once.',
  }),
} as const;
