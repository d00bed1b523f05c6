import { defineError } from '../../../kernel/contracts/index.ts';

export const retentionUnknown = defineError({
  code: 'retention_unknown',
  status: 500,
  title: 'SVC_RETENTION contains a name that no plugin recognizes.',
  next: 'Correct the name, or load the plugin that prunes it, and start again.',
});
