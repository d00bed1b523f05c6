import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CheckedWorkflow } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import type { Mark } from '../kit/editor/editor.tsx';
import { useSettled } from '../kit/settled.ts';

/** So long nothing must be typed before the server is asked. */
const PAUSE_MS = 300;

export interface Checked {
  marks: readonly Mark[];
  notes: readonly string[];
  /** What it says is of the text as it stands now. */
  done: boolean;
  error: Error | null;
}

/** What the server says of a pipeline's document, soon after it changed. */
export function useCheck(scope: Scope, source: string): Checked {
  const settled = useSettled(source, PAUSE_MS);
  const checked = useQuery({
    queryKey: ['check', scope.org, scope.project, settled],
    // Texts of which none will come again.
    gcTime: 0,
    placeholderData: keepPreviousData,
    enabled: settled.trim() !== '',
    queryFn: ({ signal }) =>
      json<CheckedWorkflow>(scoped(scope, '/check'), {
        method: 'POST',
        body: { kind: 'pipeline', filename: 'pipeline.yaml', source: settled },
        signal,
      }),
  });
  const { data, error, isFetching } = checked;
  const marks = useMemo(() => (data && settled.trim() !== '' ? marksOf(data) : []), [data, settled]);
  const done = settled === source && !isFetching;
  return { marks: error ? [] : marks, notes: data?.notes ?? [], done, error };
}

const marksOf = ({ problems, warnings = [] }: CheckedWorkflow): Mark[] => [
  ...problems.map(({ line, column, message }) => ({ line, column, message, severity: 'error' as const })),
  ...warnings.map(({ line, column, message }) => ({ line, column, message, severity: 'warning' as const })),
];
