import { MAX_STEP_OUTPUT_BYTES, siteOf } from '../../../engine/runs/contract.ts';
import type { JournalResult, OpenSite, PassJournal } from '../../replay/contract.ts';
import { checkStepName, commandOutcome } from '../contract.ts';
import type { OpenStep } from './open-step.ts';
import type { Reply } from './replies.ts';

/**
 * Thrown when a caller began a step under a key that does not match its position, so that its result cannot be used.
 */
export class StepKeyMismatch extends Error {}

/** Runs a step whose body an SDK executes in the script's own process. `onPosition` is called with its position. */
export async function runStructuredStep(
  step: OpenStep,
  journal: PassJournal,
  onPosition: (at: OpenSite, begun: Reply) => void,
): Promise<JournalResult> {
  const { kind, label, key: assumed } = step.begin;
  const name = checkStepName(step.begin.name);
  return await journal.durable({ kind, name, label }, async (at) => {
    const { key, position, ordinal } = at;
    if (step.is_leased && assumed !== key)
      throw new StepKeyMismatch(`step ${name} was started with another position's key`);
    const site = siteOf({ kind, name, ordinal });
    onPosition(at, { run: true, key, position, site, limit: MAX_STEP_OUTPUT_BYTES });
    const end_request = await step.ended;
    return commandOutcome(`step ${site}`, {
      exit_code: end_request.exit_code,
      stdout: end_request.stdout,
      size: Math.max(end_request.size, end_request.stdout.length),
      error: end_request.message,
    });
  });
}
