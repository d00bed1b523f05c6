import type { IncludedFile, Json } from '../../../engine/runs/contract.ts';
import type { CheckoutWork } from './checkout.ts';

/** The executor of scripts. */
export const SCRIPT_EXECUTOR = 'script';

/** What the executor needs to know of a script. Written when its activity is created, read at every pass. */
export interface ScriptWork {
  /** Its extension selects the interpreter. */
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  /** Arguments after the path of the file. */
  args?: readonly string[];
  /** The included files. */
  files?: readonly IncludedFile[];
  /** The repository that every pass checks out into a new folder, which is its working directory. */
  checkout?: CheckoutWork;
  /**
   * If true, the output of the last pass is the output of the activity (JSON, otherwise text), unless it staged one
   * with `svc output set`. Because that must be complete, replayed calls print again, in the log too.
   */
  captures?: boolean;
  /**
   * The job of a run with several jobs. The keys of its steps derive from this name instead of the activity, so that
   * another attempt of the job has the same keys.
   */
  job?: string;
  /** What the run passes to the job besides its own input: the member `with` of its input file. */
  with?: Json;
}

/** Returns the spec of an activity for this executor. */
export const scriptSpec = ({
  filename,
  source,
  interpreter,
  args = [],
  files = [],
  checkout,
  captures,
  job,
  with: job_input,
}: ScriptWork): { [name: string]: Json } => ({
  filename: filename ?? null,
  source,
  interpreter: interpreter ?? null,
  ...(args.length > 0 && { args: [...args] }),
  ...(files.length > 0 && { files: files.map((file) => ({ ...file })) }),
  ...(checkout && { checkout: checkout as unknown as Json }),
  ...(captures && { captures }),
  ...(job !== undefined && { job }),
  ...(job_input !== undefined && { with: job_input }),
});
