import type { PassJournal } from '../../replay/contract.ts';
import { checkStepName, commandOutcome } from '../contract.ts';
import type { SocketRequest } from '../domain/requests.ts';
import { MAX_STEP_OUTPUT_BYTES, siteOf } from '../../runs/contract.ts';
import type { Reply } from './replies.ts';

type Begin = Extract<SocketRequest, { op: 'begin' }>;
type End = Extract<SocketRequest, { op: 'end' }>;

/** A step whose body an SDK runs in the script's own process. `run` starts it and answers its outcome. */
export async function runStructuredStep(
  begin: Begin,
  journal: PassJournal,
  run: (begun: Reply) => Promise<End>,
): Promise<Reply> {
  const { kind, label } = begin;
  const name = checkStepName(begin.name);
  const { record, replayed } = await journal.durable({ kind, name, label }, async ({ key, position, ordinal }) => {
    const site = siteOf({ kind, name, ordinal });
    const end = await run({ run: true, key, position, site, limit: MAX_STEP_OUTPUT_BYTES });
    return commandOutcome(`step ${site}`, {
      exit_code: end.exit_code,
      stdout: end.stdout,
      size: Math.max(end.size, end.stdout.length),
      error: end.message,
    });
  });
  return { record, replayed };
}
