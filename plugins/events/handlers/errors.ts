import { defineError } from '../../../kernel/contracts/index.ts';
import { chainTooDeep } from '../../engine/runs/contract.ts';

export const HandlerErrors = {
  chainTooDeep,
  handlersInFlight: defineError({
    code: 'handlers_in_flight',
    status: 429,
    title: 'The project has reached the limit for concurrent handler runs.',
    next: 'Nothing was recorded. Try again after `Retry-After`, when handler runs have ended.',
  }),
  handlerOwned: defineError({
    code: 'handler_owned',
    status: 409,
    title: 'The handler belongs to another resource.',
    next: 'Change or remove the resource shown in `detail`; its handler changes with it.',
  }),
  replaysRunning: defineError({
    code: 'replays_running',
    status: 409,
    title: 'The project has reached the limit for replays that run at the same time.',
    next: 'Wait until one of them ends, or cancel it (`svc events replays ls`, `svc events replays cancel`).',
  }),
  handlersFull: defineError({
    code: 'handlers_full',
    status: 409,
    title: 'The project has reached the limit for handlers or for the size of their predicates.',
    next: 'Remove handlers that are no longer needed (`svc handler ls`, `svc handler rm`), or shorten their predicates.',
  }),
} as const;
