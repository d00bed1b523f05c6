import type { Noun } from '../../resources/contract.ts';

export const HANDLER: Noun = { noun: 'handler', plural: 'handlers' };
