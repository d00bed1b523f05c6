import { childAnswer } from './activity.ts';
import { exactly, readArguments } from './arguments.ts';
import { checkChildName } from './child-arguments.ts';
import { defineVerb } from './define-verb.ts';

/** `svc activity-collect <name>`: waits for a child that was submitted; its output and its exit code. */
export const activityCollectVerb = defineVerb({
  verb: 'activity-collect',
  summary: 'Waits for a child that was submitted, prints its output and exits with its exit code.',
  usage: 'svc activity-collect <name>',
  async run(call) {
    const [name] = exactly(readArguments(call.argv), ['name']);
    const site = { kind: 'activity-collect', name: checkChildName(name!) };
    return childAnswer(await call.pass.wait(site, { args: {} }));
  },
});
