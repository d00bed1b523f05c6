import { type ResourceType, USER_OR_MANAGED_NAMES } from '../../../platform/resources/contract.ts';

export const HANDLER: ResourceType = { noun: 'handler', plural: 'handlers', names: USER_OR_MANAGED_NAMES };
export const DEAD_LETTER: Pick<ResourceType, 'noun'> = { noun: 'dead_letter' };
