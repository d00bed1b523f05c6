import type { JournalRecord } from '../../runs/contract.ts';
import type { VerbOutcome } from '../contract.ts';

/** What a record says to the caller. Text for stderr was shown when it was recorded, so a replay is silent there. */
export function answer({ record, replayed }: { record: JournalRecord; replayed: boolean }): VerbOutcome {
  const fresh = record.message !== undefined && !replayed;
  return {
    exit: record.exit_code,
    stdout: Buffer.from(record.output, 'base64'),
    ...(fresh ? { stderr: `svc: ${record.message}\n` } : {}),
    kind: record.kind,
    ...(record.message === undefined ? {} : { message: record.message }),
    ...(replayed ? { replayed } : {}),
  };
}
