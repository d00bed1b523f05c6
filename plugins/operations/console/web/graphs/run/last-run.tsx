import { Link } from '@tanstack/react-router';
import type { Scope } from '../../api/paths.ts';
import { Empty, Loading, Problem, Status, Time } from '../../kit/basics.tsx';
import { useRun } from '../../run/use-run.ts';
import { useNewestRun } from '../expressions/use-names.ts';
import RunGraph from './run-graph.tsx';

interface Props {
  scope: Scope;
  graph: string;
  selected: string | undefined;
  onSelect(node: string | undefined): void;
}

/** The newest run of a graph, over its version of the graph. */
export function LastRun({ scope, graph, selected, onSelect }: Props) {
  const { run_id, isPending } = useNewestRun(scope, graph);
  const { record, steps } = useRun(scope, run_id);
  if (isPending) return <Loading />;
  if (run_id === undefined)
    return (
      <Empty>
        No runs yet. Start one with “Run now” or <code>svc submit --graph {graph}</code>.
      </Empty>
    );
  if (record.error) return <Problem error={record.error} again={() => void record.refetch()} />;
  if (!record.data) return <Loading />;
  const run = record.data;
  return (
    <>
      <p>
        Run{' '}
        <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }} className="mono">
          {run_id.slice(-6)}
        </Link>{' '}
        <Status of={run.status} />, <Time at={run.created_at} />.{' '}
        <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ workflow: graph }}>
          All of its runs
        </Link>
      </p>
      <RunGraph scope={scope} run={run} steps={steps.data?.steps ?? []} selected={selected} onSelect={onSelect} />
    </>
  );
}
