import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { PendingEvent } from '../contract.ts';

/** A validated and sealed event, ready to be recorded. */
export interface Recording {
  event: PendingEvent;
  sealed: Buffer;
  by: AuditSource | undefined;
  /** Set once it was sent to the database: if it is found there later, it is this very event and no duplicate. */
  attempted: boolean;
  /** Another server waits for the outcome. */
  awaited?: true;
}
