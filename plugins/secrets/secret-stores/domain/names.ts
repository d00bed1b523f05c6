import type { ResourceType } from '../../../platform/resources/contract.ts';

export const SECRET_STORE: ResourceType = { noun: 'secret_store', plural: 'secret_stores' };
