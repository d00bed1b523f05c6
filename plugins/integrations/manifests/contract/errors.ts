import { defineError } from '../../../../kernel/contracts/index.ts';

export const ManifestErrors = {
  connectorInvalid: defineError({
    code: 'connector_invalid',
    status: 500,
    title: 'A connector manifest is not valid.',
    next: 'Fix the file and the member shown in the message, or remove the file from SVC_CONNECTORS. Then start again.',
  }),
} as const;
