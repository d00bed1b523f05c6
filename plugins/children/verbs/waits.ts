import type { ActivityContext, ArmWait, WaitKind, WaitOutcome, WaitRef } from '../../runs/contract.ts';
import { checkName, readCall } from '../domain/child-call.ts';
import type { Family } from '../service/family.ts';

const refOf = (context: ActivityContext, { position }: ArmWait): WaitRef => {
  const { run_id, activity_id } = context;
  return { run_id, activity_id, position };
};

/** Children have no time limit of their own: whoever arms such a wait with one is told that it is over. */
const expired = (): WaitOutcome => ({
  exit_code: 124,
  output: Buffer.alloc(0),
  message: 'the child did not end within the time given',
});

/** `svc activity`: submits and collects in one call. */
export const activityWait = (family: Family): WaitKind => ({
  kind: 'activity',
  substate: 'activity',
  tryResolve: (tx, context, wait) => family.taken(tx, context, readCall(wait.args).name),
  async arm(tx, context, wait) {
    const call = readCall(wait.args);
    await family.add(tx, context, call, wait.position);
    await family.awaitOne(tx, refOf(context, wait), call.name);
  },
  expire: expired,
  ended: (tx, waits) => family.forget(tx, waits),
});

/** `svc activity-collect`: the outcome of a child that was submitted. */
export const collectWait = (family: Family): WaitKind => ({
  kind: 'activity-collect',
  substate: 'activity',
  tryResolve: (tx, context, wait) => family.collect(tx, context, checkName(wait.name)),
  arm: (tx, context, wait) => family.awaitOne(tx, refOf(context, wait), wait.name),
  expire: expired,
  ended: (tx, waits) => family.forget(tx, waits),
});

/** `svc activity-wait-all`: how many of those that were not collected have failed. */
export const waitAllWait = (family: Family): WaitKind => ({
  kind: 'activity-wait-all',
  substate: 'activity',
  tryResolve: (tx, { activity_id }) => family.collectAll(tx, activity_id),
  arm: (tx, context, wait) => family.awaitAll(tx, refOf(context, wait)),
  expire: expired,
  ended: (tx, waits) => family.forget(tx, waits),
});
