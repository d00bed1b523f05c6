import { token } from '../../../../kernel/contracts/index.ts';
import type { OutlineItem, WorkflowDocument } from '../../../engine/runs/contract.ts';

/** What programs may do, read from their texts: the verbs that they call. Nothing of them is run. */
export interface ScriptOutlines {
  /** A script of any language; one that svc cannot read is `unknown`. */
  script(
    program: Pick<WorkflowDocument, 'filename' | 'source' | 'interpreter' | 'files'>,
  ): Promise<readonly OutlineItem[]>;
  /** The text of a bash script, such as a step of a job. `first_line` is the number of its first line, 1 by default. */
  shell(source: string, first_line?: number): readonly OutlineItem[];
}

export const ScriptOutlines = token<ScriptOutlines>('scripts.Outlines');
