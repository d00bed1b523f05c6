import { useState } from 'react';
import type { NodeRecord, RunRecord, SubmittedRun } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { isNode } from '../../run/keys.ts';
import { useRun } from '../../run/use-run.ts';
import type { GraphNode } from '../document.ts';
import { type ExpressionNames, nodesIn } from '../expressions/names.ts';
import { readBy, trialOf } from './trial.ts';

export interface Trial {
  /** Of the node in the run that tries it; undefined: it was not tried, or has not begun. */
  record: NodeRecord | undefined;
  run: RunRecord | undefined;
  run_id: string | undefined;
  /** It was sent and is not over. */
  busy: boolean;
  error: unknown;
  start(): void;
}

const OVER: readonly string[] = ['succeeded', 'failed', 'cancelled'];

/** Runs one node with the data that its expressions see, and follows it. */
export function useTrial(scope: Scope, node: GraphNode | undefined, names: ExpressionNames): Trial {
  const [tried, setTried] = useState<{ node: string; run_id?: string; error?: unknown }>();
  const mine = tried?.node === node?.id ? tried : undefined;
  const { record, steps } = useRun(scope, mine?.run_id);
  const start = () => {
    if (!node) return;
    const before = readBy(node, names.nodes, nodesIn);
    setTried({ node: node.id });
    const source = JSON.stringify(trialOf(node, before, names.sample));
    const body = { kind: 'graph', filename: `try-${node.id}.json`, source, input: names.sample?.input ?? null };
    json<SubmittedRun>(scoped(scope, '/runs'), { method: 'POST', body }).then(
      ({ run_id }) => setTried({ node: node.id, run_id }),
      (error: unknown) => setTried({ node: node.id, error }),
    );
  };
  const own = (steps.data?.steps ?? []).find(
    (step): step is NodeRecord => isNode(step) && step.node === node?.id && step.item === undefined,
  );
  const over = record.data !== undefined && OVER.includes(record.data.status);
  return {
    record: mine ? own : undefined,
    run: mine ? record.data : undefined,
    run_id: mine?.run_id,
    busy: mine !== undefined && mine.error === undefined && !over,
    error: mine?.error,
    start,
  };
}
