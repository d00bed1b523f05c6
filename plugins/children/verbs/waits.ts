import type { ActivityContext, ArmWait, WaitKind, WaitOutcome, WaitRef } from '../../runs/contract.ts';
import { checkName, readCall } from '../domain/child-call.ts';
import type { ChildActivities } from '../service/child-activities.ts';

const refOf = (context: ActivityContext, { position }: ArmWait): WaitRef => {
  const { run_id, activity_id } = context;
  return { run_id, activity_id, position };
};

/** Children have no timeout; a wait that is armed with one expires with this message. */
const expired = (): WaitOutcome => ({
  exit_code: 124,
  output: Buffer.alloc(0),
  message: 'the child did not end before the timeout',
});

/** `svc activity`: submits and collects in one call. */
export const activityWait = (children: ChildActivities): WaitKind => ({
  kind: 'activity',
  substate: 'activity',
  tryResolve: (tx, context, wait) => children.taken(tx, context, readCall(wait.args).name),
  async arm(tx, context, wait) {
    const call = readCall(wait.args);
    await children.add(tx, context, call, wait.position);
    await children.awaitOne(tx, refOf(context, wait), call.name);
  },
  expire: expired,
  ended: (tx, waits) => children.forget(tx, waits),
});

/** `svc activity-collect`: the outcome of a submitted child. */
export const collectWait = (children: ChildActivities): WaitKind => ({
  kind: 'activity-collect',
  substate: 'activity',
  tryResolve: (tx, context, wait) => children.collect(tx, context, checkName(wait.name)),
  arm: (tx, context, wait) => children.awaitOne(tx, refOf(context, wait), wait.name),
  expire: expired,
  ended: (tx, waits) => children.forget(tx, waits),
});

/** `svc activity-wait-all`: how many of the uncollected children failed. */
export const waitAllWait = (children: ChildActivities): WaitKind => ({
  kind: 'activity-wait-all',
  substate: 'activity',
  tryResolve: (tx, { activity_id }) => children.collectAll(tx, activity_id),
  arm: (tx, context, wait) => children.awaitAll(tx, refOf(context, wait)),
  expire: expired,
  ended: (tx, waits) => children.forget(tx, waits),
});
