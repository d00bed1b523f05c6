import { Errors } from '../../../kernel/contracts/index.ts';
import type { LeaseOwner, LeaseOwnerKind, LeaseRequest, Leases } from '../../locks/contract.ts';
import type { ActivityContext, ArmWait, Json, WaitKind, WaitOutcome, WaitResolver } from '../../runs/contract.ts';
import { insertSupersession } from '../store/supersessions.ts';

/** The wait of a concurrency group. */
export const WAIT = 'concurrency';

/** A run holds a lease until it ends, and its own `svc lock` shares it. A job excludes other jobs of its run too. */
const OWNERS = { run: 'concurrency', job: 'concurrency-job' } as const;
type Of = keyof typeof OWNERS;

export interface LeaseWaitParts {
  leases: () => Pick<Leases, 'take' | 'takeNow' | 'leaveQueue' | 'replaceEarlier'>;
  now: () => number;
  /** Called after a commit that recorded that earlier runs are to be cancelled. */
  superseding: () => void;
}

/** `{of: run | job, policy}`: waits for its turn in a group. With `cancel-running` the earlier runs are cancelled. */
export function leaseWaitKind(parts: LeaseWaitParts): WaitKind {
  return {
    kind: WAIT,
    substate: 'awaiting_lease',
    async tryResolve(tx, context, wait) {
      const taken = await parts.leases().takeNow(tx, requestOf(context, wait));
      return taken && heldOutcome(taken.fence, context.activity_id);
    },
    async arm(tx, context, wait) {
      const request = requestOf(context, wait);
      await parts.leases().take(tx, request);
      if (argsOf(wait).policy !== 'cancel-running') return;
      await parts.leases().replaceEarlier(tx, request.owner);
      await insertSupersession(tx, { ...context, group_name: wait.name, asked_at: parts.now() });
      tx.afterCommit(parts.superseding);
    },
    expire: ({ name }) => ({
      ...{ exit_code: 124, output: Buffer.alloc(0) },
      message: `the concurrency group ${name} was not free before the timeout`,
    }),
    async ended(tx, waits) {
      for (const wait of waits)
        for (const of of Object.keys(OWNERS) as Of[]) await parts.leases().leaveQueue(tx, ownerOf(wait, of));
    },
  };
}

/** Waiting runs and jobs: the grant ends their wait. */
export const leaseOwners = (resolver: () => WaitResolver): readonly LeaseOwnerKind[] =>
  (Object.keys(OWNERS) as Of[]).map((of) => ({
    kind: OWNERS[of],
    shares: of === 'run',
    async granted(tx, { owner, fence }) {
      const wait = { run_id: owner.run_id, activity_id: owner.id, position: 0 };
      const ended = await resolver().resolveAll(tx, [wait], () => heldOutcome(fence, owner.id));
      return ended.length === 1;
    },
  }));

export const ownerOf = ({ run_id, activity_id }: { run_id: string; activity_id: string }, of: Of): LeaseOwner => ({
  run_id,
  kind: OWNERS[of],
  id: activity_id,
});

/** The release finds the lease by the activity that took it. */
const heldOutcome = (fence: number, activity: string): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.from(`${JSON.stringify({ fence, activity })}\n`),
});

function requestOf(context: ActivityContext, wait: ArmWait): LeaseRequest {
  const { org_id, project_id, trusted } = context;
  return { org_id, project_id, trusted, group: wait.name, owner: ownerOf(context, argsOf(wait).of) };
}

function argsOf({ args }: { args: Json }): { of: Of; policy: string } {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { of, policy } = given;
  if ((of === 'run' || of === 'job') && typeof policy === 'string') return { of, policy };
  throw Errors.invalidRequest('the arguments of concurrency are {of: run | job, policy}');
}
