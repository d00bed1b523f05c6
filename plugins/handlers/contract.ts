import { token, type Transaction } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../bus/contract.ts';

/**
 * Names of the handlers whose patterns match a type, whatever their predicates say. Called under the project's lock.
 */
export interface HandlerMatches {
  matching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]>;
}

export const HandlerMatches = token<HandlerMatches>('handlers.HandlerMatches');
