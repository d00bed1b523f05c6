import type { JournaledVerb } from '../../runs/contract.ts';
import { readCall } from '../domain/child-call.ts';
import type { Family } from '../service/family.ts';

/** `svc activity-submit`: the child exists exactly when the call is recorded. Prints nothing. */
export const submitVerb = (family: Family): JournaledVerb => ({
  kind: 'activity-submit',
  async perform(tx, context, args) {
    const call = readCall(args);
    const taken = await family.taken(tx, context, call.name);
    if (taken) return taken;
    await family.add(tx, context, call, context.position);
    return { exit_code: 0, output: Buffer.alloc(0) };
  },
});
