import type { Run, RunReader } from '../../../engine/runs/contract.ts';
import type { ProjectScope } from '../../../events/bus/contract.ts';
import type { RunTexts } from '../domain/run-terms.ts';

/** The beginning of the run's output that is indexed, and of the output of each step. */
const OUTPUT_BYTES = 16 * 1024;
const STEP_BYTES = 1024;
/** The first steps of a run are indexed. */
const MAX_STEPS = 400;
const STEPS_PAGE = 200;
/** The steps with an output whose output is indexed. */
const MAX_OUTPUTS = 40;

/** Reads what is indexed of a run: a bounded part. Undefined when the run is gone. */
export async function readTexts(
  reader: Pick<RunReader, 'searchable' | 'recordedSteps'>,
  scope: ProjectScope,
  { run_id, error, reason }: Pick<Run, 'run_id' | 'error' | 'reason'>,
): Promise<RunTexts | undefined> {
  const run = { ...scope, run_id };
  const found = await reader.searchable(run);
  if (found === undefined) return undefined;
  const outputs = found.output === undefined ? [] : [beginning(found.output, OUTPUT_BYTES, true)];
  const steps: string[] = [...found.activities];
  let after = { activity_id: '', position: -1 };
  for (let left = MAX_STEPS; left > 0; ) {
    const page = await reader.recordedSteps(run, after, Math.min(left, STEPS_PAGE));
    for (const { name, recorded } of page.steps) {
      steps.push(name);
      if (recorded === null || recorded.output.length === 0 || outputs.length > MAX_OUTPUTS) continue;
      outputs.push(beginning(recorded.output, STEP_BYTES, false));
    }
    const last = page.steps.at(-1);
    if (last === undefined || !page.truncated) break;
    after = { activity_id: last.activity_id, position: last.position };
    left -= page.steps.length;
  }
  const words = [error?.code, error?.message, reason].filter((text) => text !== undefined);
  return { run_id, outputs, error: words.join(' '), steps, accounts: found.credentials };
}

const beginning = (bytes: Buffer, most: number, json: boolean) => ({
  bytes: bytes.subarray(0, most),
  truncated: bytes.length > most,
  json,
});
