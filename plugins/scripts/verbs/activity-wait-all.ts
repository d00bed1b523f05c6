import { answer } from './answer.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc activity-wait-all`: waits for every child that was not collected, and prints how many failed. */
export const activityWaitAllVerb = defineVerb({
  verb: 'activity-wait-all',
  summary: 'Waits for all children that were submitted and not collected, prints how many of them failed and exits 0.',
  usage: 'svc activity-wait-all',
  async run(call) {
    exactly(readArguments(call.argv), []);
    return answer(await call.pass.wait({ kind: 'activity-wait-all', name: '' }, { args: {} }));
  },
});
