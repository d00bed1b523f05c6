import { useState } from 'react';
import type { Scope } from '../../api/paths.ts';
import type { GraphDocument } from '../document.ts';
import { RunBeside, RunNow } from './run-now.tsx';

interface Props {
  scope: Scope;
  document: GraphDocument;
  name: string;
}

/** Runs a document as it stands in the editor. Nobody is led away from what is not saved: the run is one link off. */
export function RunDraft({ scope, document, name }: Props) {
  const [run, setRun] = useState<string>();
  return (
    <>
      <RunNow scope={scope} of={{ document, ...(name !== '' && { name }) }} label="Run draft" onRun={setRun} />
      <RunBeside scope={scope} run={run} />
    </>
  );
}
