import type { WaitKind } from '../contract.ts';

/** The pause before the next attempt of a call. It ends by its deadline, and the call is made again. */
export const RETRY_WAIT = 'retry';

export const retryKind: WaitKind = {
  kind: RETRY_WAIT,
  substate: 'sleep',
  pause: true,
  tryResolve: async () => undefined,
  expire: () => ({ exit_code: 0, output: Buffer.alloc(0) }),
};
