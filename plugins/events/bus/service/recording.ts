import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { PendingEvent } from '../contract.ts';

/** A validated event, ready to be recorded. */
export interface Recording {
  event: PendingEvent;
  /** The JSON of its body, if that is sealed only when the event is written, perhaps together with others of its run. */
  plaintext?: Buffer;
  /** The body, sealed by itself. */
  readonly sealed: Buffer;
  by: AuditSource | undefined;
  /** Set once it was sent to the database: if it is found there later, it is this very event and no duplicate. */
  attempted: boolean;
  /** Another server waits for the outcome. */
  awaited?: true;
}
