import type { Noun } from '../../resources/contract.ts';

export const ACCOUNT: Noun = { noun: 'account', plural: 'accounts' };
