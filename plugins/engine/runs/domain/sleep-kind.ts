import { Errors } from '../../../../kernel/contracts/index.ts';
import type { WaitKind } from '../contract.ts';

/** `svc sleep`: only its deadline ends it, and that is its success. */
export const sleepKind: WaitKind = {
  kind: 'sleep',
  substate: 'sleep',
  async tryResolve(_tx, _context, wait) {
    if (wait.timeout_ms === undefined) throw Errors.invalidRequest('a sleep needs its duration as timeout_ms');
    return undefined;
  },
  expire: () => ({ exit_code: 0, output: Buffer.alloc(0) }),
};
