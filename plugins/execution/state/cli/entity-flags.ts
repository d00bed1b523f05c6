import { type Client, type Flags, type Invocation, usageError } from '../../../../cli/contract.ts';

export const entityPath = (api: Client, { flags: { entity } }: Invocation): string => {
  if (entity === undefined) throw usageError('--entity is missing', 'svc state ls --entity <name>');
  return api.scoped(`/state/${encodeURIComponent(String(entity))}`);
};

export const ENTITY_FLAGS: Flags = {
  entity: { type: 'string', value: '<name>', summary: 'the project-wide entity that contains the key' },
};
