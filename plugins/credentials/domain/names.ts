import type { Noun } from '../../resources/contract.ts';

export const CREDENTIAL: Noun = { noun: 'credential', plural: 'credentials' };
