import type { JournaledVerb } from '../../../engine/runs/contract.ts';
import { readCall } from '../domain/child-call.ts';
import type { ChildActivities } from '../service/child-activities.ts';

/** `svc activity-submit`: the child exists exactly when the call is recorded. It prints nothing. */
export const createSubmitVerb = (children: ChildActivities): JournaledVerb => ({
  kind: 'activity-submit',
  async perform(tx, context, args) {
    const call = readCall(args);
    const rejection = await children.rejectTakenName(tx, context, call.name);
    if (rejection) return rejection;
    await children.add(tx, context, call, context.position);
    return { exit_code: 0, output: Buffer.alloc(0) };
  },
});
