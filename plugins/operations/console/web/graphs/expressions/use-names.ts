import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  EvaluatedExpression,
  ListRuns200,
  ListSteps200,
  NodeRecord,
  RunInput,
  RunRecord,
} from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { useLive } from '../../api/live.ts';
import { readAgain } from '../../api/read-again.ts';
import { query, type Scope, scoped } from '../../api/paths.ts';
import { isNode } from '../../run/keys.ts';
import { runPath, useRun } from '../../run/use-run.ts';
import type { GraphDocument, GraphNode } from '../document.ts';
import { type ExpressionNames, namesFor, type Sample } from './names.ts';
import { ancestorsOf, inputOf, itemsIn, sampleOf, sampleOfItem } from './sample.ts';

/** Fan-outs with more items have no sample of their output. */
const MAX_ITEMS = 200;

/** The newest run of a stored graph; it changes when another one begins. */
export function useNewestRun(
  scope: Scope,
  graph: string | undefined,
): { run_id: string | undefined; isPending: boolean } {
  const path = scoped(scope, `/runs${query({ workflow: graph, limit: 1 })}`);
  const client = useQueryClient();
  const queryKey = ['newest-run', path];
  const newest = useQuery({
    queryKey,
    enabled: graph !== undefined,
    queryFn: ({ signal }) => json<ListRuns200>(path, { signal }),
  });
  useLive(scope, graph === undefined ? '' : 'runs', (kind, data) => {
    const changed = data as { workflow?: string; run_id?: string } | null;
    const other = changed?.workflow === graph && changed?.run_id !== newest.data?.runs[0]?.run_id;
    if (kind === 'reset' || (kind === 'run' && other)) void readAgain(client, queryKey);
  });
  const run_id = newest.data?.runs.find(({ kind }) => kind === 'graph')?.run_id;
  return { run_id, isPending: newest.isPending };
}

/** The values that the expressions of a run saw. */
function useSample(scope: Scope, run_id: string | undefined): Sample | undefined {
  const { record, steps } = useRun(scope, run_id);
  const nodes = steps.data?.steps.filter(isNode) ?? [];
  return useRecorded(scope, record.data, steps.data ? nodes : undefined);
}

/** What a run was given, as expressions see it; undefined until it is read. */
export function useRunInput(scope: Scope, run_id: string | undefined): unknown {
  const path = runPath(scope, run_id ?? '');
  const { data } = useQuery({ ...inputQuery(path), enabled: run_id !== undefined });
  return data?.envelope && inputOf(data.envelope);
}

const inputQuery = (path: string) => ({
  queryKey: ['run-input', path],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }: { signal: AbortSignal }) => json<RunInput>(`${path}/input`, { signal }),
});

/** The same of a run that was read; without it there is no sample. For members: a viewer may not see an input. */
function useRecorded(
  scope: Scope,
  run: RunRecord | undefined,
  nodes: readonly NodeRecord[] | undefined,
): Sample | undefined {
  const path = runPath(scope, run?.run_id ?? '');
  const input = useQuery({ ...inputQuery(path), enabled: run !== undefined });
  const wide = (nodes ?? []).filter(
    ({ items, state, item }) => item === undefined && state === 'succeeded' && items && items.total <= MAX_ITEMS,
  );
  const items = useQueries({ queries: wide.map(({ node }) => itemsQuery(path, node)) });
  if (!run || !nodes) return undefined;
  const outputs = new Map(wide.flatMap(({ node }, at) => (items[at]?.data ? [[node, items[at].data] as const] : [])));
  return sampleOf(run, nodes, input.data?.envelope, outputs);
}

const itemsQuery = (path: string, node: string) => ({
  queryKey: ['item-outputs', path, node],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const list = `${path}/steps${query({ node, output: true, limit: MAX_ITEMS })}`;
    const { steps } = await json<ListSteps200>(list, { signal });
    return (steps as NodeRecord[]).map(({ output }) => output ?? null);
  },
});

interface Place {
  document: GraphDocument;
  /** Id of the node in which the expression stands. */
  node: string;
  /** A stored graph, whose newest run is the sample. */
  graph?: string | undefined;
  /** Another run to take samples from. */
  run?: string | undefined;
}

/** What an expression of a node may name, with samples from a run. */
export function useExpressionNames(scope: Scope, { document, node, graph, run }: Place): ExpressionNames {
  const newest = useNewestRun(scope, run === undefined ? graph : undefined);
  const from = run ?? newest.run_id;
  return useNamesAt(scope, document, node, { from, sample: useSample(scope, from) });
}

/** The same over a run that was read. */
export function useNamesOfRun(
  scope: Scope,
  document: GraphDocument,
  node: string,
  run: RunRecord,
  nodes: readonly NodeRecord[],
): ExpressionNames {
  return useNamesAt(scope, document, node, {
    from: run.run_id,
    sample: useRecorded(scope, run, nodes),
  });
}

type Known = Pick<ExpressionNames, 'from' | 'sample'>;

function useNamesAt(
  scope: Scope,
  document: GraphDocument,
  node: string,
  { from, sample: whole }: Known,
): ExpressionNames {
  const inLoop = document.for_item === true;
  const known: Known = { from, sample: inLoop && whole ? sampleOfItem(whole) : whole };
  const own = document.nodes.find(({ id }) => id === node);
  const sample = known.sample && { ...known.sample, event: eventOf(known.sample, own) };
  const names: ExpressionNames = { ...known, scope, nodes: ancestorsOf(document, node), sample, items: inLoop };
  const items = own?.type === 'fan_out' || own?.type === 'each';
  const first = useFirstItem(names, items ? itemsIn(own?.config) : undefined);
  return items ? { ...names, items, sample: sample && { ...sample, item: first, index: 0 } } : names;
}

/** The event that a node was given: one that waits has it as its output, a trigger as the input of the run. */
function eventOf({ nodes, input }: Sample, node: GraphNode | undefined): unknown {
  const waits = node !== undefined && !node.type.startsWith('trigger.');
  const event = waits ? nodes?.[node.id]?.output : input;
  return isEnvelope(event) ? event : undefined;
}

const isEnvelope = (value: unknown): boolean => typeof value === 'object' && value !== null && 'payload' in value;

function useFirstItem(names: ExpressionNames, items: unknown[] | string | undefined): unknown {
  const text = typeof items === 'string' ? items : '';
  const list = useQuery({ ...evaluation(names, text), enabled: text !== '' && names.sample !== undefined });
  const found = Array.isArray(items) ? items : list.data?.value;
  return Array.isArray(found) ? found[0] : undefined;
}

/** What the engine says of an expression over these names. */
export function evaluation(names: ExpressionNames, expression: string) {
  const path = scoped(names.scope, '/expressions/evaluate');
  const body = { expression, names: namesFor(expression, names) };
  return {
    queryKey: ['expression', path, JSON.stringify(body)],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    retry: false,
    queryFn: ({ signal }: { signal: AbortSignal }) => json<EvaluatedExpression>(path, { method: 'POST', body, signal }),
  };
}
