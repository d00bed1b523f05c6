import { answer } from './answer.ts';
import { readChild } from './child-arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc activity-submit <name> [--requires <cap>]... -- <cmd>`: hands a command to another agent and goes on. */
export const activitySubmitVerb = defineVerb({
  verb: 'activity-submit',
  summary:
    'Hands a command to any agent with the capabilities named and goes on; svc activity-collect <name> asks for what it came to. No two have one name.',
  usage: 'svc activity-submit <name> [--requires <capability>]… -- <command> [<argument>…]',
  async run(call) {
    const child = readChild(call.argv);
    return answer(await call.pass.perform({ kind: 'activity-submit', name: child.name }, child));
  },
});
