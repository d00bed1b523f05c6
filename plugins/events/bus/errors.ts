import { defineError } from '../../../kernel/contracts/index.ts';

export const BusErrors = {
  typeInvalid: defineError({
    code: 'event_type_invalid',
    status: 400,
    title: 'The event type is not valid.',
    next: 'Use 1 to 64 characters from A-Z a-z 0-9 . _ - as in `deploy.done`.',
  }),
  typeReserved: defineError({
    code: 'event_type_reserved',
    status: 403,
    title: 'Only the service can emit events of this type.',
    next: 'Choose another type. The types push, manual, spawn, schedule.tick, run.* and svc.* are reserved.',
  }),
  /** The engine declares the same code and fails the run with it. */
  envelopeGone: defineError({
    code: 'envelope_gone',
    status: 410,
    title: 'The event that started the run is no longer stored.',
    next: 'Submit the workflow again with its input.',
  }),
} as const;
