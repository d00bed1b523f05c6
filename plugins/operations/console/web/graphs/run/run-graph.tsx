import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { RunDocument, RunRecord } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import type { Scope } from '../../api/paths.ts';
import { Empty, Loading, Problem } from '../../kit/basics.tsx';
import type { AnyStep } from '../../run/steps.ts';
import { isNode } from '../../run/keys.ts';
import { runPath } from '../../run/use-run.ts';
import { GraphCanvas } from '../canvas/canvas.tsx';
import { type GraphDocument, readDocument } from '../document.ts';
import '../graphs.css';
import { edgeStatesOf, recordsOf } from './edge-marks.ts';
import { marksOf } from './marks.ts';
import { NodeOfRun } from './node-of-run.tsx';
import { parseExact } from '../../../../../platform/schema/contract/exact-json.ts';

interface Props {
  /** The canvas alone, or the chosen node alone; absent: beside each other. */
  part?: 'canvas' | 'node';
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
  /** Absent: it keeps the choice itself. */
  selected?: string | undefined;
  onSelect?(node: string | undefined): void;
}

/** A run drawn over the graph that it carries out: exactly its version, as it goes on. */
export default function RunGraph({ part, scope, run, steps, selected, onSelect }: Props) {
  const path = runPath(scope, run.run_id);
  const [own, setOwn] = useState<string>();
  const chosen = onSelect ? selected : own;
  const read = useQuery({
    queryKey: ['run-document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunDocument>(`${path}/document`, { signal }),
  });
  const document = useMemo(() => drawable(read.data), [read.data]);
  const nodes = useMemo(() => steps.filter(isNode), [steps]);
  const marks = useMemo(() => marksOf(nodes), [nodes]);
  const edgeMarks = useMemo(
    () => (document && !(document instanceof Error) ? edgeStatesOf(document, recordsOf(nodes)) : undefined),
    [document, nodes],
  );
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  if (document instanceof Error || !document) return <Problem error={document} />;
  const choose = onSelect ?? setOwn;
  const node = document.nodes.find(({ id }) => id === chosen);
  const canvas = (
    <GraphCanvas
      document={document}
      marks={marks}
      {...(edgeMarks && { edgeMarks })}
      selected={chosen}
      onSelect={choose}
      label={`Run ${run.run_id.slice(-6)} on its graph`}
    />
  );
  const details = node && (
    <NodeOfRun
      key={node.id}
      scope={scope}
      run={run}
      node={node}
      nodes={nodes}
      document={document}
      close={() => choose(undefined)}
    />
  );
  if (part === 'canvas') return canvas;
  if (part === 'node') return details;
  return (
    <div className="graph-beside">
      {canvas}
      <aside aria-label="Node details">{details ?? <Empty>Choose a node to see what it did.</Empty>}</aside>
    </div>
  );
}

function drawable(read: RunDocument | undefined): GraphDocument | Error | undefined {
  if (!read) return undefined;
  try {
    return readDocument(parseExact(read.source));
  } catch (error) {
    return error as Error;
  }
}
