import type { JournaledVerb } from '../../runs/contract.ts';
import { readCall } from '../domain/child-call.ts';
import type { ChildActivities } from '../service/child-activities.ts';

/** `svc activity-submit`: the child exists exactly when the call is recorded. Prints nothing. */
export const submitWork = (children: ChildActivities): JournaledVerb => ({
  kind: 'activity-submit',
  async perform(tx, context, args) {
    const call = readCall(args);
    const taken = await children.taken(tx, context, call.name);
    if (taken) return taken;
    await children.add(tx, context, call, context.position);
    return { exit_code: 0, output: Buffer.alloc(0) };
  },
});
