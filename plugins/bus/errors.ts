import { defineError } from '../../kernel/contracts/index.ts';

export const BusErrors = {
  typeInvalid: defineError({
    code: 'event_type_invalid',
    status: 400,
    title: 'The text is no type of an event.',
    next: 'Use 1 to 64 characters from A-Z a-z 0-9 . _ - like `deploy.done`.',
  }),
  typeReserved: defineError({
    code: 'event_type_reserved',
    status: 403,
    title: 'Only the service emits events of this type.',
    next: 'Choose another type: push, manual, spawn, schedule.tick, run.* and svc.* are reserved.',
  }),
  /** Declared alike by the engine, which fails the run with it. */
  envelopeGone: defineError({
    code: 'envelope_gone',
    status: 410,
    title: 'What started the run is not kept any more.',
    next: 'Submit the work again with its input.',
  }),
} as const;
