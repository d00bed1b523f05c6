import { MAX_STEP_OUTPUT_BYTES, siteOf } from '../../runs/contract.ts';
import type { JournalAnswer, OpenSite, PassJournal } from '../../replay/contract.ts';
import { checkStepName, commandOutcome } from '../contract.ts';
import type { OpenStep } from './open-step.ts';
import type { Reply } from './replies.ts';

/** The caller has begun a step with a key that is not that of its place, so nothing may be made of what it did. */
export class OtherKey extends Error {}

/** A step whose body an SDK runs in the script's own process. `placed` tells it the place. */
export async function runStructuredStep(
  step: OpenStep,
  journal: PassJournal,
  placed: (at: OpenSite, begun: Reply) => void,
): Promise<JournalAnswer> {
  const { kind, label, key: assumed } = step.begin;
  const name = checkStepName(step.begin.name);
  return await journal.durable({ kind, name, label }, async (at) => {
    const { key, position, ordinal } = at;
    if (step.ahead && assumed !== key) throw new OtherKey(`step ${name} was begun with the key of another place`);
    const site = siteOf({ kind, name, ordinal });
    placed(at, { run: true, key, position, site, limit: MAX_STEP_OUTPUT_BYTES });
    const end = await step.ended;
    return commandOutcome(`step ${site}`, {
      exit_code: end.exit_code,
      stdout: end.stdout,
      size: Math.max(end.size, end.stdout.length),
      error: end.message,
    });
  });
}
