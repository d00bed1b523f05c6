import type { IncludedFile, Json } from '../../runs/contract.ts';
import type { CheckoutWork } from './checkout.ts';

/** The executor of scripts. */
export const SCRIPT_EXECUTOR = 'script';

/** What the executor is told of a script; written when its activity is made, read at every pass. */
export interface ScriptWork {
  /** Its ending finds the interpreter. */
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  /** What stands after the path of the file. */
  args?: readonly string[];
  /** What lies beside it. */
  files?: readonly IncludedFile[];
  /** The repository that every pass begins with, in a folder of its own that is its working directory. */
  checkout?: CheckoutWork;
  /**
   * True: what the last pass printed is the output (JSON, otherwise text), unless it staged one by `svc output set`. As
   * the output must be complete, a replayed call prints again, in the log too.
   */
  captures?: boolean;
  /**
   * The job of a run of several: the keys of its steps are made of this name in place of the activity, so that another
   * attempt of the job has the same.
   */
  job?: string;
  /** What its run gives it beside the run's own input: the member `with` of its input file. */
  with?: Json;
}

/** The spec of an activity for this executor. */
export const scriptSpec = ({
  filename,
  source,
  interpreter,
  args = [],
  files = [],
  checkout,
  captures,
  job,
  with: given,
}: ScriptWork): { [name: string]: Json } => ({
  filename: filename ?? null,
  source,
  interpreter: interpreter ?? null,
  ...(args.length > 0 && { args: [...args] }),
  ...(files.length > 0 && { files: files.map((file) => ({ ...file })) }),
  ...(checkout && { checkout: checkout as unknown as Json }),
  ...(captures && { captures }),
  ...(job !== undefined && { job }),
  ...(given !== undefined && { with: given }),
});
