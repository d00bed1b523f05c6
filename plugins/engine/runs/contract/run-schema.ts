import journalRecord from '../schema/journal-record.schema.json' with { type: 'json' };
import run from '../schema/run.schema.json' with { type: 'json' };

/** The record of a run, as every route answers it. */
export const RUN_SCHEMA = run;
export const JOURNAL_RECORD_SCHEMA = journalRecord;
