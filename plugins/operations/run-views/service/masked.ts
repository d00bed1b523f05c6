import type { Step, StepAttempt } from '../../../engine/runs/contract.ts';
import type { Masker } from '../../../security/masking/contract.ts';

/** Attempts were masked when they were stored, but a value may have become a secret since. */
const maskAttempts = (attempts: readonly StepAttempt[], masker: Masker): Promise<StepAttempt[]> =>
  Promise.all(
    attempts.map(async (attempt) => ({
      ...attempt,
      output: await masker.maskLarge(attempt.output),
      message: attempt.message && masker.text(attempt.message),
    })),
  );

/** The visible form of steps. The stored records stay unchanged for replays. */
export async function maskSteps<S extends Step>(steps: readonly S[], masker: Masker): Promise<S[]> {
  if (masker.idle) return [...steps];
  const masked: S[] = [];
  for (const step of steps) {
    const { recorded } = step;
    masked.push({
      ...step,
      // What is waited for names the activity that waits: `signal:approved`.
      activity: masker.text(step.activity),
      name: masker.text(step.name),
      label: step.label && masker.text(step.label),
      recorded: recorded && {
        ...recorded,
        output: await masker.maskLarge(recorded.output),
        message: recorded.message && masker.text(recorded.message),
      },
      attempts: step.attempts && (await maskAttempts(step.attempts, masker)),
    });
  }
  return masked;
}
