import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Scope } from '../../api/paths.ts';
import { useMay } from '../../app/session.ts';
import { Status, Time } from '../../kit/basics.tsx';
import { Block } from '../../kit/block.tsx';
import { useNow } from '../../kit/clock.ts';
import { Fact } from '../../kit/facts.tsx';
import { pretty, took, visible } from '../../kit/text.ts';
import { RunLink } from '../../run/facts.tsx';
import { RerunFrom } from '../../run/journal.tsx';
import { OPEN } from '../../run/steps.ts';
import { NodeFacts, NodePanel } from '../node-details.tsx';
import { Items } from './items.tsx';
import { RunNode } from './run-now.tsx';
import { type NodeProps, Values } from './values.tsx';

interface Props extends NodeProps {
  close(): void;
}

/** What one node did in a run, what it was given, and how to do it again. */
export function NodeOfRun({ scope, run, node, nodes, document, close }: Props) {
  const may = useMay(scope);
  const record = nodes.find((one) => one.node === node.id && one.item === undefined);
  const over = !OPEN.includes(run.status);
  return (
    <NodePanel node={node} close={close}>
      {record && <Did scope={scope} record={record} />}
      {record?.items && <Items scope={scope} run_id={run.run_id} record={record} />}
      {may('member') && <Values scope={scope} run={run} node={node} nodes={nodes} document={document} />}
      <details>
        <summary>In the graph</summary>
        <NodeFacts node={node} />
      </details>
      {may('member') && (
        <div className="row">
          {over && record && record.state !== 'waiting' && (
            <RerunFrom scope={scope} run_id={run.run_id} site={node.id} />
          )}
          {!node.type.startsWith('trigger.') && <RunNode scope={scope} type={node.type} config={node.config ?? {}} />}
        </div>
      )}
    </NodePanel>
  );
}

function Did({ scope, record }: { scope: Scope; record: NodeRecord }) {
  const now = useNow();
  const { state, substate, attempt, error, output, kept, timeout_at } = record;
  return (
    <dl>
      <Fact name="Status">
        <Status of={substate ? 'waiting' : state === 'waiting' ? 'queued' : state} />
        {state === 'waiting' && ', until the nodes before it are ready'}
        {kept && ', kept from the previous run'}
      </Fact>
      {substate && (
        <Fact name="Waits for">
          {substate.kind.replaceAll('_', ' ')} {visible(substate.name)}, since <Time at={substate.since} />
        </Fact>
      )}
      {substate?.run_id && (
        <Fact name="Called run">
          <RunLink scope={scope} run_id={substate.run_id} />
        </Fact>
      )}
      {attempt > 0 && <Fact name="Attempts">{attempt}</Fact>}
      {record.started_at && <Fact name="Duration">{took(record, now)}</Fact>}
      {timeout_at && (
        <Fact name="Times out">
          <Time at={timeout_at} />
        </Fact>
      )}
      {record.case !== undefined && <Fact name="Case">{visible(String(record.case))}</Fact>}
      {error && (
        <Fact name="Error">
          <code>{error.code}</code>
          <pre className="bad">{visible(error.message)}</pre>
        </Fact>
      )}
      {output !== undefined && (
        <Fact name="Output">
          <Block text={pretty(output)} />
        </Fact>
      )}
    </dl>
  );
}
