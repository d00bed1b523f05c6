import type { AuditSource } from '../../audit/contract.ts';
import type { PendingEvent } from '../contract.ts';

/** A checked and sealed event. */
export interface Recording {
  event: PendingEvent;
  sealed: Buffer;
  by: AuditSource | undefined;
  /** Set when it was passed to the database: found again, it is this event and not a duplicate. */
  attempted: boolean;
  /** Another server waits for what becomes of it. */
  awaited?: true;
}
