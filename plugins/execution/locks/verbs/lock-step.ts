import { Errors } from '../../../../kernel/contracts/index.ts';
import type { JournaledVerb, Json, WaitOutcome } from '../../../engine/runs/contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import { HELD_BY_COMMAND, toOwner } from './lock-wait.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface CommandOutcome extends WaitOutcome {
  /** Position of the `lock` that acquired the lease. */
  lock: number;
}

function parseArgs(args: Json): CommandOutcome {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { lock, exit_code, output, message } = members;
  const valid =
    typeof lock === 'number' &&
    Number.isSafeInteger(lock) &&
    typeof exit_code === 'number' &&
    typeof output === 'string' &&
    BASE64.test(output) &&
    (message === undefined || typeof message === 'string');
  if (!valid) throw Errors.invalidRequest('lock-step needs lock, exit_code and output in base64; message is optional');
  return { lock, exit_code, output: Buffer.from(output, 'base64'), message };
}

/** Records the outcome of the command in `svc lock <group> -- <command>` and releases its lease, in one transaction. */
export function lockStepVerb(store: LeaseStore): JournaledVerb {
  return {
    kind: 'lock-step',
    async perform(tx, context, args) {
      const { lock, ...outcome } = parseArgs(args);
      await store.release(tx, toOwner(context, lock, HELD_BY_COMMAND));
      return outcome;
    },
  };
}
