import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { RunPause } from './run.ts';

/**
 * When the activities and the next steps of a paused run are due. No claim finds an activity with this time, so a paused run
 * costs no claim anything, and servers of an earlier version leave it alone too. An activity that is claimed gets it as well: its
 * release and the loss of its claim keep it, and the next answer to its agent says that the run is paused.
 */
export const PAUSED_DUE = Number.MAX_SAFE_INTEGER;

export interface ResumeRun {
  org_id: string;
  project_id: string;
  run_id: string;
  /** The requester, for the audit entry. Absent: the service itself. */
  requester?: AuditSource;
}

export interface PauseRun extends ResumeRun, Pick<RunPause, 'reason'> {
  /** The name of the requester, for the record of the run. */
  name: string | undefined;
}
