import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { GraphView, SavedGraph } from '../../../../../../cli/generated/api.ts';
import { json, Refusal } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { useRefetch } from '../../api/read-again.ts';
import { listKey } from '../../kit/paged.ts';
import type { GraphDocument } from '../document.ts';
import { movePins } from '../node/pins.ts';

export type Saving =
  | { state: 'idle' }
  | { state: 'busy' }
  | { state: 'saved'; version: number; warnings: readonly string[] }
  | { state: 'conflict'; latest: number }
  | { state: 'refused'; error: unknown };

interface Place {
  scope: Scope;
  /** Of the graph; absent while it has none. */
  known: string | undefined;
  opened: GraphDocument;
  /** The version that was opened; 0: none. */
  base: number;
}

export const graphPath = (scope: Scope, name: string): string => scoped(scope, `/graphs/${encodeURIComponent(name)}`);

/** The newest version that is stored; 0 when there is none. */
async function latestOf(path: string): Promise<number> {
  try {
    return (await json<GraphView>(path)).latest_version;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return 0;
    throw error;
  }
}

/** Saves a graph, and notices when somebody else has saved meanwhile. */
export function useSave({ scope, known, opened, base }: Place) {
  const client = useQueryClient();
  const refetch = useRefetch();
  const navigate = useNavigate();
  const [saved, setSaved] = useState({ document: opened, version: base });
  const [saving, setSaving] = useState<Saving>({ state: 'idle' });
  const write = async (name: string, document: GraphDocument, over: boolean): Promise<Saving> => {
    const path = graphPath(scope, name);
    const latest = await latestOf(path);
    if (!over && latest !== saved.version) return { state: 'conflict', latest };
    const answer = await json<SavedGraph>(path, { method: 'PUT', body: document });
    setSaved({ document, version: answer.version_number });
    client.removeQueries({ queryKey: ['graph', path] });
    await refetch(listKey(scoped(scope, '/graphs')));
    if (known === undefined) {
      movePins(scope, name);
      void navigate({
        to: '/orgs/$org/projects/$project/graphs/$graph/edit',
        params: { ...scope, graph: name },
        ignoreBlocker: true,
        replace: true,
      });
    }
    return { state: 'saved', version: answer.version_number, warnings: answer.warnings };
  };
  const save = async (name: string, document: GraphDocument, over = false): Promise<void> => {
    setSaving({ state: 'busy' });
    setSaving(await write(name, document, over).catch((error: unknown): Saving => ({ state: 'refused', error })));
  };
  return { saved, saving, save };
}
