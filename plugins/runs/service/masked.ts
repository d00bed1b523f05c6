import type { Masker } from '../../masking/contract.ts';
import type { Run } from '../contract.ts';
import type { StepAttempt } from '../store/step-attempts.ts';
import type { Step } from '../store/steps.ts';
import type { HeldCall } from '../store/under-way.ts';

/** The visible form of a run. Tags, trigger, subject and reason are texts of callers and are not masked. */
export function maskedRun(run: Run, masker: Masker): Run {
  if (masker.idle) return run;
  return {
    ...run,
    output: run.output === undefined ? undefined : masker.json(run.output),
    error: run.error && { ...run.error, message: masker.text(run.error.message) },
    substate: run.substate && { ...run.substate, name: masker.text(run.substate.name) },
    annotations: run.annotations.map((text) => masker.text(text)),
  };
}

/** They were masked when they were kept; a value may have become a secret since. */
const maskedAttempts = (attempts: readonly StepAttempt[], masker: Masker): Promise<StepAttempt[]> =>
  Promise.all(
    attempts.map(async (attempt) => ({
      ...attempt,
      output: await masker.whole(attempt.output),
      message: attempt.message && masker.text(attempt.message),
    })),
  );

/** The visible form of what agents carry out. */
export const maskedCalls = (calls: readonly HeldCall[], masker: Masker): HeldCall[] =>
  calls.map((held) => {
    const { name, label } = held.call;
    return { ...held, call: { ...held.call, name: masker.text(name), label: label && masker.text(label) } };
  });

/** The visible form of steps; the stored records stay unchanged for replays. */
export async function maskedSteps<S extends Step>(steps: readonly S[], masker: Masker): Promise<S[]> {
  if (masker.idle) return [...steps];
  const shown: S[] = [];
  for (const step of steps) {
    const { recorded } = step;
    shown.push({
      ...step,
      name: masker.text(step.name),
      label: step.label && masker.text(step.label),
      recorded: recorded && {
        ...recorded,
        output: await masker.whole(recorded.output),
        message: recorded.message && masker.text(recorded.message),
      },
      attempts: step.attempts && (await maskedAttempts(step.attempts, masker)),
    });
  }
  return shown;
}
