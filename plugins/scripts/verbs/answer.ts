import type { JournalRecord } from '../../runs/contract.ts';
import type { Verb } from '../contract.ts';

type Outcome = Awaited<ReturnType<Verb['run']>>;

/** What a record says to the caller. Text for stderr was shown when it was recorded, so a replay is silent there. */
export function answer({ record, replayed }: { record: JournalRecord; replayed: boolean }): Outcome {
  const fresh = record.message !== undefined && !replayed;
  return {
    exit: record.exit_code,
    stdout: Buffer.from(record.output, 'base64'),
    ...(fresh ? { stderr: `svc: ${record.message}\n` } : {}),
    ...(replayed ? { replayed } : {}),
  };
}
