import type { CheckedDocument } from './workflow.ts';

/** Where in a document something is: a line of a file, or a part of it such as a job or a node. */
export interface OutlinePosition {
  /** The file, if it is not the document itself. */
  file?: string | undefined;
  line?: number | undefined;
  /** A job or a node: `job build`. */
  section?: string | undefined;
}

/** Something that a workflow may do, as far as its text shows it. */
export type OutlineItem = OutlinePosition &
  (
    | /** A program runs on an agent; in a trusted run it gets the secrets and variables of the project. */
    {
        does: 'program';
      } /** A program begins with the repository of the event, which is read with the credential of its webhook. */
    | { does: 'checkout' }
    | { does: 'credential'; name: string }
    | { does: 'id_token' }
    | { does: 'connector'; name: string }
    | { does: 'lease'; name: string }
    | /** An agent needs this capability. */ { does: 'agent'; name: string }
    | { does: 'emit'; type: string } /** `untrusted`: what untrusted runs emit ends the wait too. */
    | { does: 'wait'; type: string; when?: string | undefined; untrusted: boolean }
    | /** An event of this type cancels the run. */ { does: 'cancel'; type: string }
    | /** Another workflow runs: inline, or by reference. */ { does: 'call'; name: string; workflow: CheckedDocument }
    | /** Only a run knows it. `what` is for people. */ { does: 'unknown'; what: string }
  );

/** At most this many items of one document; the last one is then `unknown`. */
export const MAX_OUTLINE_ITEMS = 2000;
