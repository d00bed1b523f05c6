import { useQuery } from '@tanstack/react-query';
import type {
  AgentRecord,
  EventType,
  LockView,
  NodeRecord,
  RunRecord,
  Signal,
  StepRecord,
} from '../../../../../cli/generated/api.ts';
import { explain } from '../../../run-views/explain/explanation.ts';
import type { Explanation } from '../../../run-views/explain/eligible-agents.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useNow } from '../kit/clock.ts';
import { type AnyStep, OPEN } from './steps.ts';
import { isNode } from './keys.ts';
import { useQuestion } from './question.tsx';

/** Agents come and go without a word to this page. */
const AGAIN_MS = 5000;

/** Why the run is in its state, and what to do: what `svc explain` says. Undefined where there is nothing to explain. */
export function useWhy(scope: Scope, run: RunRecord, steps: readonly AnyStep[]): Explanation | undefined {
  const now = useNow();
  const open = OPEN.includes(run.status);
  const agents = useQuery({
    queryKey: ['agents'],
    enabled: open,
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<AgentRecord>('/api/v1/agents', 'agents', { signal }),
  });
  // Agents renew without a word to this page too.
  const claims = useQuery({
    queryKey: ['run', run.run_id, 'claims', run.status],
    enabled: run.status === 'running' || run.status === 'waiting',
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }) =>
      (await json<RunRecord>(scoped(scope, `/runs/${run.run_id}`), { signal })).claims ?? null,
  });
  const locks = useQuery({
    queryKey: ['locks', scope.org, scope.project],
    enabled: run.substate?.kind === 'awaiting_lease',
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<LockView>(scoped(scope, '/locks'), 'locks', { signal }),
  });
  const types = useQuery({
    queryKey: ['event-types', scope.org, scope.project],
    enabled: run.substate?.kind === 'event',
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => readAllPages<EventType>(scoped(scope, '/event-types'), 'types', { signal }),
  });
  const signals = useQuery({
    queryKey: ['run', run.run_id, 'signals', run.status, run.substate?.since],
    refetchInterval: open ? AGAIN_MS : false,
    queryFn: ({ signal }) =>
      readAllPages<Signal>(scoped(scope, `/runs/${run.run_id}/signals`), 'signals', {
        filters: { state: 'queued' },
        signal,
      }),
  });
  const question = useQuestion(scope, run);
  if (run.status === 'succeeded' || (open && !agents.data)) return undefined;
  const nodes = steps.some(isNode) ? steps.filter(isNode).filter((node) => !open || inProgress(node)) : undefined;
  return explain({
    run: { ...run, claims: claims.data ?? undefined },
    steps: nodes ? [] : (steps as readonly StepRecord[]),
    ...(nodes && { nodes }),
    // One that serves another project alone is none of this run's.
    agents: (agents.data ?? []).filter(({ project = scope.project }) => project === scope.project),
    locks: locks.data ?? [],
    types: types.data ?? [],
    signals: signals.data ?? [],
    questions: question ? [question] : [],
    now,
  });
}

const inProgress = ({ state }: NodeRecord): boolean => state === 'running' || state === 'backoff';
