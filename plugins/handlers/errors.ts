import { defineError } from '../../kernel/contracts/index.ts';

export const HandlerErrors = {
  chainTooDeep: defineError({
    code: 'chain_too_deep',
    status: 409,
    title: 'The event would start a handler run of the sixth generation.',
    next: 'End the chain: what handlers emit may start handlers five times in a row.',
  }),
  handlersInFlight: defineError({
    code: 'handlers_in_flight',
    status: 429,
    title: 'The project has as many handler runs as it may have at once.',
    next: 'Emit again after `Retry-After`, when handler runs have ended; nothing was recorded.',
  }),
  handlersFull: defineError({
    code: 'handlers_full',
    status: 409,
    title: 'The project has as many handlers, or as much of predicates, as it may have.',
    next: 'Remove handlers that are not needed any more (`svc handler ls`, `svc handler rm`), or shorten their predicates.',
  }),
} as const;
