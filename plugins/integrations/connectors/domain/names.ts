import type { ResourceType } from '../../../platform/resources/contract.ts';

export const CREDENTIAL: ResourceType = { noun: 'credential', plural: 'credentials' };
