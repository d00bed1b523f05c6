import { useQuery } from '@tanstack/react-query';
import type { RunRecord, ShownEvent } from '../../../../../cli/generated/api.ts';
import { readInput } from '../../../run-views/explain/compare/input.ts';
import { json, Refusal } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useSteps } from '../run/steps.ts';
import { runPath } from '../run/use-run.ts';

/** A run with everything by which it is compared. */
export function useWhole(scope: Scope, run_id: string) {
  const path = runPath(scope, run_id);
  const record = useQuery({ queryKey: ['run', path], queryFn: ({ signal }) => json<RunRecord>(path, { signal }) });
  const steps = useSteps(path, record.data);
  const input = useQuery({
    queryKey: ['input', path],
    enabled: record.data !== undefined,
    // What a run was given never changes.
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const found = await readInput(record.data!, {
        run: (id) => json<RunRecord>(runPath(scope, id), { signal }).catch(unlessGone),
        event: (id) =>
          json<ShownEvent>(scoped(scope, `/events/${encodeURIComponent(id)}`), { signal }).catch(unlessGone),
      });
      return found ?? { value: undefined };
    },
  });
  return { path, record, steps, input, error: record.error ?? steps.error ?? input.error };
}

export type Whole = ReturnType<typeof useWhole>;

function unlessGone(error: unknown): undefined {
  if (error instanceof Refusal && error.status === 404) return undefined;
  throw error;
}
