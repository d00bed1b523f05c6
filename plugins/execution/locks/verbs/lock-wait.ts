import { Errors } from '../../../../kernel/contracts/index.ts';
import type { ActivityContext, ArmWait, Json, WaitKind, WaitOutcome } from '../../../engine/runs/contract.ts';
import type { LeaseOwner, LeaseRequest } from '../contract.ts';
import type { LeaseStore } from '../store/lease-store.ts';

/** Lease owners of scripts: until the run ends, or while a command runs. */
export const HELD_BY_RUN = 'lock';
export const HELD_BY_COMMAND = 'lock-step';

const WAIT = 'lock';
export const EXIT_TIMEOUT = 124;

interface LockArgs {
  /** True for a lock with a command, which releases the lease itself. */
  command: boolean;
  limit: number | undefined;
}

function readArgs(args: Json): LockArgs {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { command = false, limit, ...unknown } = members;
  const is_valid = Object.keys(unknown).length === 0;
  if (is_valid && typeof command === 'boolean' && (limit === undefined || typeof limit === 'number'))
    return { command, limit };
  throw Errors.invalidRequest('the arguments of lock are {"command": true, "limit": <number>}, each optional');
}

const ownerKind = (args: Json): string => (readArgs(args).command ? HELD_BY_COMMAND : HELD_BY_RUN);

export const toOwner = (at: { run_id: string; activity_id: string }, position: number, kind: string): LeaseOwner => ({
  run_id: at.run_id,
  kind,
  id: `${at.activity_id}/${position}`,
});

function toRequest(context: ActivityContext, wait: ArmWait): LeaseRequest {
  const { org_id, project_id, trusted, priority } = context;
  return {
    org_id,
    project_id,
    trusted,
    group: wait.name,
    owner: toOwner(context, wait.position, ownerKind(wait.args)),
    limit: readArgs(wait.args).limit,
    priority,
  };
}

/** The record holds the fence; the verb prints it on request. */
export const grantedOutcome = (fence: number): WaitOutcome => ({ exit_code: 0, output: Buffer.from(`${fence}\n`) });

/** Implements `svc lock`: waits in the queue of a group. On timeout it leaves the queue and exits 124. */
export function lockWaitKind(store: LeaseStore): WaitKind {
  return {
    kind: WAIT,
    substate: 'awaiting_lease',
    async tryResolve(tx, context, wait) {
      const acquired = await store.tryAcquire(tx, toRequest(context, wait));
      return acquired && grantedOutcome(acquired.fence);
    },
    async arm(tx, context, wait) {
      await store.acquire(tx, toRequest(context, wait));
    },
    async expire(wait, tx) {
      const fence = await store.abandon(tx, toOwner(wait, wait.position, ownerKind(wait.args)));
      if (fence !== undefined) return grantedOutcome(fence);
      const message = `the lock ${wait.name} was not free before the timeout`;
      return { exit_code: EXIT_TIMEOUT, output: Buffer.alloc(0), message };
    },
    /**
     * Called for waits that ended with their activity. A lease that was already granted is returned when its owner is
     * notified.
     */
    async ended(tx, waits) {
      for (const wait of waits)
        for (const kind of [HELD_BY_RUN, HELD_BY_COMMAND])
          await store.leaveQueue(tx, toOwner(wait, wait.position, kind));
    },
  };
}
