import { Errors } from '../../../../kernel/contracts/index.ts';
import type {
  LeaseOwner,
  LeaseOwnerKind,
  LeaseRequest,
  Leases,
  LeaseThrottle,
} from '../../../execution/locks/contract.ts';
import {
  type ActivityContext,
  type ArmWait,
  type Json,
  RUN_CONCURRENCY_WAIT,
  type WaitKind,
  type WaitOutcome,
  type WaitResolver,
} from '../../../engine/runs/contract.ts';
import { CONCURRENCY_WAIT } from '../contract/concurrency-wait.ts';
import { insertSupersession } from '../store/supersessions.ts';

/**
 * The owners of leases. A run keeps its lease until it ends and shares it with its own `svc lock`. A job also excludes
 * other jobs of its run.
 */
const OWNERS = { run: 'concurrency', job: 'concurrency-job' } as const;
type LeaseLevel = keyof typeof OWNERS;

export interface LeaseWaitDeps {
  leases: () => Pick<Leases, 'acquire' | 'tryAcquire' | 'leaveQueue' | 'replaceEarlier'>;
  now: () => number;
  /** Called after a commit that recorded that earlier runs are to be cancelled. */
  wakeSuperseder: () => void;
}

/**
 * Waits for the lease of a concurrency group. Its arguments are `{of: run | job, policy, limit, throttle}`. With `cancel-pending`
 * the earlier runs that wait are cancelled, with `cancel-running` also as many holders as must make room.
 */
export const leaseWaitKind = (deps: LeaseWaitDeps): WaitKind => waitKind(deps, { kind: CONCURRENCY_WAIT });

/** The same before the first claim of a run: its end is no record of the program. */
export const runConcurrencyWaitKind = (deps: LeaseWaitDeps): WaitKind =>
  waitKind(deps, { kind: RUN_CONCURRENCY_WAIT, pause: true });

function waitKind(deps: LeaseWaitDeps, of_kind: Pick<WaitKind, 'kind' | 'pause'>): WaitKind {
  return {
    ...of_kind,
    substate: 'awaiting_lease',
    async tryResolve(tx, context, wait) {
      const lease = await deps.leases().tryAcquire(tx, toLeaseRequest(context, wait));
      return lease && grantedOutcome(lease.fence, context.activity_id);
    },
    async arm(tx, context, wait) {
      const request = toLeaseRequest(context, wait);
      await deps.leases().acquire(tx, request);
      const { policy } = readArgs(wait);
      if (policy === 'queue') return;
      await deps.leases().replaceEarlier(tx, request.owner, { holders: policy === 'cancel-running' });
      await insertSupersession(tx, { ...context, group_name: wait.name, asked_at: deps.now() });
      tx.afterCommit(deps.wakeSuperseder);
    },
    expire: ({ name }) => ({
      exit_code: 124,
      output: Buffer.alloc(0),
      message: `the concurrency group ${name} was not free before the timeout`,
    }),
    async ended(tx, waits) {
      for (const wait of waits)
        for (const level of Object.keys(OWNERS) as LeaseLevel[])
          await deps.leases().leaveQueue(tx, leaseOwner(wait, level));
    },
  };
}

/** Waiting runs and jobs: the grant ends their wait. */
export const leaseOwners = (resolver: () => WaitResolver): readonly LeaseOwnerKind[] =>
  (Object.keys(OWNERS) as LeaseLevel[]).map((level) => ({
    kind: OWNERS[level],
    shares: level === 'run',
    async granted(tx, { owner, fence }) {
      const wait = { run_id: owner.run_id, activity_id: owner.id, position: 0 };
      const resolved = await resolver().resolveAll(tx, [wait], () => grantedOutcome(fence, owner.id));
      return resolved.length === 1;
    },
  }));

export const leaseOwner = (
  { run_id, activity_id }: { run_id: string; activity_id: string },
  level: LeaseLevel,
): LeaseOwner => ({
  run_id,
  kind: OWNERS[level],
  id: activity_id,
});

/** The release finds the lease by the activity that took it. */
const grantedOutcome = (fence: number, activity: string): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${JSON.stringify({ fence, activity })}\n`),
});

function toLeaseRequest(context: ActivityContext, wait: ArmWait): LeaseRequest {
  const { org_id, project_id, trusted, priority } = context;
  const { of, limit, throttle } = readArgs(wait);
  return { org_id, project_id, trusted, group: wait.name, owner: leaseOwner(context, of), limit, throttle, priority };
}

interface LeaseArgs {
  of: LeaseLevel;
  policy: string;
  limit: number | undefined;
  throttle: LeaseThrottle | undefined;
}

function readArgs({ args }: { args: Json }): LeaseArgs {
  const { of, policy, limit, throttle } = membersOf(args);
  const { limit: starts, period_ms } = membersOf(throttle);
  const is_throttle = throttle === undefined || (typeof starts === 'number' && typeof period_ms === 'number');
  const is_limit = limit === undefined || typeof limit === 'number';
  if ((of === 'run' || of === 'job') && typeof policy === 'string' && is_limit && is_throttle)
    return { of, policy, limit, throttle: throttle as LeaseThrottle | undefined };
  throw Errors.invalidRequest('the arguments of concurrency are {of: run | job, policy, limit, throttle}');
}

const membersOf = (value: Json | undefined): { [name: string]: Json } =>
  value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
