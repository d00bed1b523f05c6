import type { Access } from '../../../kernel/contracts/index.ts';

/** `{scoped}` of the contract. */
export const SCOPED = '/api/v1/orgs/:org/projects/:project';

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const MEMBER: Access = { kind: 'project', role: 'member' };
