import { type Queries, token } from '../../../../kernel/contracts/index.ts';

/** What events runs came of. */
export interface RunOrigins {
  /**
   * The event that started a run, or the nearest of those above it that an event started: of a called run that of its caller.
   * Undefined for a run that nobody's event started.
   */
  eventOf(on: Pick<Queries, 'read'>, project_id: string, run_id: string): Promise<string | undefined>;
}

export const RunOrigins = token<RunOrigins>('runs.RunOrigins');
