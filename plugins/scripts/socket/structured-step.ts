import type { PassJournal } from '../contract.ts';
import type { SocketRequest } from '../domain/requests.ts';
import { checkStepName, STEP_OUTPUT_BYTES, stepOutcome } from '../domain/step.ts';
import { siteOf } from '../../runs/contract.ts';
import type { Reply } from './replies.ts';

type Begin = Extract<SocketRequest, { op: 'begin' }>;
type End = Extract<SocketRequest, { op: 'end' }>;

/** A step whose body an SDK runs in the script's own process. `run` has it do so and answers how it went. */
export async function runStructuredStep(
  begin: Begin,
  journal: PassJournal,
  run: (begun: Reply) => Promise<End>,
): Promise<Reply> {
  const { kind, label } = begin;
  const name = checkStepName(begin.name);
  const site = { kind, name, ...(label === undefined ? {} : { label }) };
  const { record, replayed } = await journal.durable(site, async ({ key, position, ordinal }) => {
    const end = await run({
      run: true,
      key,
      position,
      site: siteOf({ kind, name, ordinal }),
      limit: STEP_OUTPUT_BYTES,
    });
    return stepOutcome(siteOf({ kind, name, ordinal }), {
      exit_code: end.exit_code,
      stdout: end.stdout,
      size: Math.max(end.size, end.stdout.length),
      ...(end.message === undefined ? {} : { error: end.message }),
    });
  });
  return { record, replayed };
}
