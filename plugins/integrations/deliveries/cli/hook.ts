import { redeliver } from './redeliver.ts';

export const run = redeliver('/event-hooks');
