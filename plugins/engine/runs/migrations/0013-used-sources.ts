import { migration } from '../../../../kernel/contracts/index.ts';

/** When a source was last submitted, by the hour: one that was used lately is not pruned. */
export const usedSources = migration('0013-used-sources', [
  'ALTER TABLE runs_sources ADD COLUMN used_at {ms} NOT NULL DEFAULT 0',
  'CREATE INDEX runs_sources_used ON runs_sources (used_at)',
]);
