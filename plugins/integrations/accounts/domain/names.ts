import type { ResourceType } from '../../../platform/resources/contract.ts';

export const ACCOUNT: ResourceType = { noun: 'account', plural: 'accounts' };
