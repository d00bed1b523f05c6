import { useEffect, useState } from 'react';
import type { CheckedWorkflow } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import type { GraphDocument } from '../document.ts';
import { type Placed, placed, splitProblem } from './findings.ts';

export interface Checked {
  /** Of the document that was checked last; those of one that changed since are shown until the next check. */
  findings: readonly Placed[];
  /** The findings are of the document as it is now. */
  done: boolean;
  error?: unknown;
}

/** So long nothing must change before the server is asked. */
const PAUSE_MS = 300;
const EMPTY = { pointer: '', message: 'The graph has no nodes yet.', warning: false, within: '', loops: [] };

/** What the server says of the document, soon after it changed. */
export function useCheck(scope: Scope, document: GraphDocument): Checked {
  const [checked, setChecked] = useState<Checked & { of?: GraphDocument }>({ findings: [], done: false });
  const { org, project } = scope;
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(() => {
      if (document.nodes.length === 0) {
        setChecked({ of: document, findings: [EMPTY], done: true });
        return;
      }
      check({ org, project }, document, asked.signal).then(
        (findings) => setChecked({ of: document, findings, done: true }),
        (error: unknown) => asked.signal.aborted || setChecked({ of: document, findings: [], done: true, error }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [org, project, document]);
  return { ...checked, done: checked.of === document };
}

async function check(scope: Scope, document: GraphDocument, signal: AbortSignal): Promise<Placed[]> {
  const body = { source: JSON.stringify(document), kind: 'graph', filename: 'graph.json' };
  const { problems, warnings = [] } = await json<CheckedWorkflow>(scoped(scope, '/check'), {
    method: 'POST',
    body,
    signal,
  });
  const told = [
    ...problems.map((one) => ({ ...one, warning: false })),
    ...warnings.map((one) => ({ ...one, warning: true })),
  ];
  return told.map(({ message, warning }) => placed({ ...splitProblem(message, document), warning }, document));
}
