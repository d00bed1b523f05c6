import type { ActivityContext, ArmWait, WaitKind, WaitOutcome, WaitRef } from '../../../engine/runs/contract.ts';
import { checkName, readCall } from '../domain/child-call.ts';
import type { ChildActivities } from '../service/child-activities.ts';

const waitRef = (context: ActivityContext, { position }: ArmWait): WaitRef => {
  const { run_id, activity_id } = context;
  return { run_id, activity_id, position };
};

/** The outcome at a timeout. The verbs set none, so only another client can cause it. */
const timeoutOutcome = (): WaitOutcome => ({
  exit_code: 124,
  output: Buffer.alloc(0),
  message: 'the child did not end before the timeout',
});

/** `svc activity` submits and collects a child in one call. */
export const createActivityWait = (children: ChildActivities): WaitKind => ({
  kind: 'activity',
  substate: 'activity',
  tryResolve: (tx, context, wait) => children.rejectTakenName(tx, context, readCall(wait.args).name),
  async arm(tx, context, wait) {
    const call = readCall(wait.args);
    await children.add(tx, context, call, wait.position);
    await children.waitForChild(tx, waitRef(context, wait), call.name);
  },
  expire: timeoutOutcome,
  ended: (tx, waits) => children.removeWaits(tx, waits),
});

/** `svc activity-collect` returns the outcome of a submitted child. */
export const createCollectWait = (children: ChildActivities): WaitKind => ({
  kind: 'activity-collect',
  substate: 'activity',
  tryResolve: (tx, context, wait) => children.collect(tx, context, checkName(wait.name)),
  arm: (tx, context, wait) => children.waitForChild(tx, waitRef(context, wait), wait.name),
  expire: timeoutOutcome,
  ended: (tx, waits) => children.removeWaits(tx, waits),
});

/** `svc activity-wait-all` returns how many of the uncollected children failed. */
export const createWaitAll = (children: ChildActivities): WaitKind => ({
  kind: 'activity-wait-all',
  substate: 'activity',
  tryResolve: (tx, { activity_id }) => children.collectAll(tx, activity_id),
  arm: (tx, context, wait) => children.waitForAll(tx, waitRef(context, wait)),
  expire: timeoutOutcome,
  ended: (tx, waits) => children.removeWaits(tx, waits),
});
