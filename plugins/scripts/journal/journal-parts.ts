import type { Clock } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, PassEnd } from '../../agents/contract.ts';
import type { JournalRecord } from '../../runs/contract.ts';

/** What the journal needs of the pass it belongs to. */
export interface JournalParts {
  run_id: string;
  activity_id: string;
  /** The script, for what is told of a violation. */
  source: () => string;
  /** The journal as it was claimed. */
  records: readonly JournalRecord[];
  host: Pick<ActivityHost, 'append' | 'perform' | 'park' | 'annotate' | 'held'>;
  clock: Clock;
  /** Resolves when what the script has printed so far is in the hands of the host. */
  flushLog: () => Promise<void>;
  /** The pass must end, for this reason; its processes are to be killed at once. */
  end: (end: PassEnd) => void;
  /** The same for a fault of the service: the activity is to be given back. */
  fault: (error: unknown) => void;
}
