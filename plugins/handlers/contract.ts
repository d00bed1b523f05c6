import { type Scope, token, type Transaction } from '../../kernel/contracts/index.ts';
import type { ProjectScope } from '../bus/contract.ts';
import type { Workflow } from '../runs/contract.ts';

export { patternFaults } from './contract/patterns.ts';

/**
 * Names of the handlers whose patterns match a type, whatever their predicates say. Called under the project's lock.
 */
export interface HandlerMatches {
  matching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]>;
}

export const HandlerMatches = token<HandlerMatches>('handlers.HandlerMatches');

/** A handler that a plugin and not a person registers; it exists as long as its owner. */
export interface OwnedHandler {
  scope: Scope;
  /** `graph.<graph>.<node>` */
  name: string;
  /** `graph:<graph>`; only the same owner changes or removes it. At most 128 characters. */
  owner: string;
  on: readonly string[];
  when?: string;
  workflow: Workflow;
  /** Id of the person on whose behalf; the submitter of its runs. */
  set_by: string | null;
}

/** A handler that was checked, for one transaction. */
export interface PreparedHandler {
  /** Registers it or replaces it; after a deadlock again. Throws `name_conflict` when another owner has the name, `handlers_full`. */
  put(tx: Transaction): Promise<void>;
}

/** Handlers in the transactions of the resources that own them; the owner writes the audit row. */
export interface HandlerOwnership {
  /** Checks a handler like a registration. Throws the errors of a registration. */
  prepare(handler: OwnedHandler): Promise<PreparedHandler>;
  /** False when this owner has no handler of that name. Its runs continue; queued deliveries never start. */
  drop(tx: Transaction, handler: ProjectScope & Pick<OwnedHandler, 'name' | 'owner'>): Promise<boolean>;
}

export const HandlerOwnership = token<HandlerOwnership>('handlers.HandlerOwnership');
