import type { Masker, RunMasks } from '../../masking/contract.ts';
import type { Run } from '../contract.ts';
import type { Step } from './render.ts';

/** A run as it is shown. Its tags, trigger, subject and reason are the caller's texts and stay as they are. */
export function maskedRun(run: Run, masker: Masker): Run {
  if (masker.idle) return run;
  return {
    ...run,
    output: masker.json(run.output),
    error: run.error && { ...run.error, message: masker.text(run.error.message) },
    substate: run.substate && { ...run.substate, name: masker.text(run.substate.name) },
    annotations: run.annotations.map((text) => masker.text(text)),
  };
}

/** The same for runs of one project. */
export async function maskedRuns(masks: Pick<RunMasks, 'ofMany'>, runs: readonly Run[]): Promise<Run[]> {
  const [first] = runs;
  if (first === undefined) return [];
  const maskers = await masks.ofMany(
    first,
    runs.map(({ run_id }) => run_id),
  );
  return runs.map((run) => maskedRun(run, maskers.get(run.run_id)!));
}

/** Steps as they are shown; what was recorded stays as it is, for replays. */
export async function maskedSteps(steps: readonly Step[], masker: Masker): Promise<Step[]> {
  if (masker.idle) return [...steps];
  const shown: Step[] = [];
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
    });
  }
  return shown;
}
