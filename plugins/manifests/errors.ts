import { defineError } from '../../kernel/contracts/index.ts';

export const ManifestErrors = {
  connectorInvalid: defineError({
    code: 'connector_invalid',
    status: 500,
    title: 'A connector manifest cannot be used.',
    next: 'Correct the file at the place that is named, or leave it out of SVC_CONNECTORS; then start again.',
  }),
} as const;
