import { Errors } from '../../../kernel/contracts/index.ts';
import type { ActivityContext, ArmWait, Json, WaitKind, WaitOutcome } from '../../runs/contract.ts';
import type { LeaseOwner, LeaseRequest } from '../contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

/** Lease owners of scripts: until the run ends, or while a command runs. */
export const HELD_BY_RUN = 'lock';
export const HELD_BY_COMMAND = 'lock-step';

const WAIT = 'lock';
export const EXPIRED = 124;

/** True for a command, which releases the lease itself. */
function forCommand(args: Json): boolean {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const unknown = Object.keys(given).some((member) => member !== 'command');
  if (!unknown && (given.command === undefined || typeof given.command === 'boolean')) return given.command === true;
  throw Errors.invalidRequest('the arguments of lock are {"command": true} or none');
}

const kindOf = (args: Json): string => (forCommand(args) ? HELD_BY_COMMAND : HELD_BY_RUN);

export const ownerOf = (at: { run_id: string; activity_id: string }, position: number, kind: string): LeaseOwner => ({
  run_id: at.run_id,
  kind,
  id: `${at.activity_id}/${position}`,
});

function requestOf(context: ActivityContext, wait: ArmWait): LeaseRequest {
  const { org_id, project_id, trusted } = context;
  return { org_id, project_id, trusted, group: wait.name, owner: ownerOf(context, wait.position, kindOf(wait.args)) };
}

/** The record holds the fence; the verb prints it on request. */
export const heldOutcome = (fence: number): WaitOutcome => ({ exit_code: 0, output: Buffer.from(`${fence}\n`) });

/** `svc lock`: waits in the queue of a group. On timeout it leaves the queue and exits 124. */
export function lockWaitKind(store: LeaseStore): WaitKind {
  return {
    kind: WAIT,
    substate: 'awaiting_lease',
    async tryResolve(tx, context, wait) {
      const taken = await store.takeNow(tx, requestOf(context, wait));
      return taken && heldOutcome(taken.fence);
    },
    async arm(tx, context, wait) {
      await store.take(tx, requestOf(context, wait));
    },
    async expire(wait, tx) {
      const fence = await store.giveUp(tx, ownerOf(wait, wait.position, kindOf(wait.args)));
      if (fence !== undefined) return heldOutcome(fence);
      const message = `the lock ${wait.name} was not free before the timeout`;
      return { exit_code: EXPIRED, output: Buffer.alloc(0), message };
    },
    /**
     * Waits that ended with their activity: a lease that was granted already is returned when its owner is notified.
     */
    async ended(tx, waits) {
      for (const wait of waits)
        for (const kind of [HELD_BY_RUN, HELD_BY_COMMAND])
          await store.leaveQueue(tx, ownerOf(wait, wait.position, kind));
    },
  };
}
