import type { JournalRecord } from '../../../engine/runs/contract.ts';

/** What a record takes besides its output. */
const RECORD_BYTES = 256;

export const bytesOf = ({ output }: JournalRecord): number => output.length + RECORD_BYTES;

export const journalBytes = (records: readonly JournalRecord[]): number =>
  records.reduce((bytes, record) => bytes + bytesOf(record), 0);
