import { type Noun, PLAIN_OR_OWNED } from '../../resources/contract.ts';

export const HANDLER: Noun = { noun: 'handler', plural: 'handlers', names: PLAIN_OR_OWNED };
