import { defineError } from '../../kernel/contracts/index.ts';

export const retentionUnknown = defineError({
  code: 'retention_unknown',
  status: 500,
  title: 'SVC_RETENTION names something that no plugin prunes.',
  next: 'Correct the name, or load the plugin that knows it, and start again.',
});
