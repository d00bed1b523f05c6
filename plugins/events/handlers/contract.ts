import { type Scope, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../bus/contract.ts';
import type { Workflow } from '../../engine/runs/contract.ts';

import type { FlowBody } from './contract/flow-options.ts';
import put from './schema/put-handler.schema.json' with { type: 'json' };

export { matchesPattern } from './contract/event-pattern.ts';
export { validatePatterns } from './contract/patterns.ts';
export { type FlowBody, validateFlow } from './contract/flow-options.ts';

const { concurrency, throttle, rate_limit, debounce, batch, priority } = put.properties;
/** JSON Schemas of the members of `flow`, for documents that register handlers. */
export const FLOW_PROPERTIES = { concurrency, throttle, rate_limit, debounce, batch, priority } as const;

/**
 * Returns the names of the handlers whose patterns match a type, ignoring their predicates. The caller must hold the
 * project's lock.
 */
export interface HandlerMatches {
  listMatching(tx: Transaction, scope: ProjectScope, type: string): Promise<readonly string[]>;
}

export const HandlerMatches = token<HandlerMatches>('handlers.HandlerMatches');

/** What a handler listens for. */
export interface HandlerPatterns {
  name: string;
  /** Event types, and prefixes followed by `*`. */
  on: string[];
}

/** Lists handlers without opening their definitions. */
export interface HandlerDirectory {
  /** Returns the first `limit` handlers by name that were set before a time (epoch ms). */
  setBefore(scope: ProjectScope, before: number, limit: number): Promise<HandlerPatterns[]>;
}

export const HandlerDirectory = token<HandlerDirectory>('handlers.HandlerDirectory');

/** A handler that a plugin registers instead of a person. It exists as long as the resource that owns it. */
export interface OwnedHandler {
  scope: Scope;
  /** Such as `graph.<graph>.<node>`. */
  name: string;
  /** Such as `graph:<graph>`. Only this owner can change or remove the handler. At most 128 characters. */
  owner: string;
  on: readonly string[];
  when?: string;
  /** When and how often its events start runs, as in the body of a handler. */
  flow?: FlowBody;
  workflow: Workflow;
  /** The id of the person on whose behalf it is registered, who becomes the submitter of its runs. */
  set_by: string | null;
}

/** A validated handler, ready to be written in a transaction. */
export interface PreparedHandler {
  /**
   * Registers or replaces the handler; safe to call again after a deadlock. Throws `name_conflict` when another owner
   * has the name, and `handlers_full`.
   */
  put(tx: Transaction): Promise<void>;
}

/** Manages handlers in the transactions of the resources that own them. The owner writes the audit row. */
export interface HandlerOwnership {
  /** Validates a handler like a registration, and throws the same errors. */
  prepare(handler: OwnedHandler): Promise<PreparedHandler>;
  /**
   * Returns false when this owner has no handler of that name. Running runs continue; queued deliveries never start.
   */
  drop(tx: Transaction, handler: ProjectScope & Pick<OwnedHandler, 'name' | 'owner'>): Promise<boolean>;
}

export const HandlerOwnership = token<HandlerOwnership>('handlers.HandlerOwnership');
