import type { ReactNode } from 'react';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Block } from '../kit/block.tsx';
import { Fact } from '../kit/facts.tsx';
import { Panel } from '../kit/page.tsx';
import { pretty, visible } from '../kit/text.ts';
import { fullTypeName, nodeName } from './canvas/node-names.ts';
import type { GraphNode } from './document.ts';
import { RunNode } from './run/run-now.tsx';

interface Props {
  scope: Scope;
  node: GraphNode;
  close(): void;
}

/** A node as its document has it. */
export function NodeDetails({ scope, node, close }: Props) {
  const may = useMay(scope);
  return (
    <NodePanel node={node} close={close}>
      <NodeFacts node={node} />
      {may('member') && !node.type.startsWith('trigger.') && (
        <RunNode scope={scope} type={node.type} config={node.config ?? {}} />
      )}
    </NodePanel>
  );
}

export const NodePanel = ({ node, close, children }: { node: GraphNode; close(): void; children: ReactNode }) => (
  <div className="graph-node">
    <Panel>
      <div className="panel-head">
        <h2>{visible(nodeName(node))}</h2>
        <button type="button" className="small" onClick={close}>
          Close
        </button>
      </div>
      {children}
    </Panel>
  </div>
);

export function NodeFacts({ node }: { node: GraphNode }) {
  const { id, type, description, config, retry, timeout, join, continue_on_error } = node;
  return (
    <dl>
      <Fact name="ID">
        <code>{visible(id)}</code>
      </Fact>
      <Fact name="Type">
        {visible(fullTypeName(type))} <code className="quiet">{visible(type)}</code>
      </Fact>
      {description && <Fact name="Description">{visible(description)}</Fact>}
      {retry && (
        <Fact name="Attempts">
          {retry.attempts}
          {retry.backoff && `, ${retry.backoff} between them`}
        </Fact>
      )}
      {timeout && <Fact name="Timeout">{timeout}</Fact>}
      {join && <Fact name="Starts when">{join === 'any' ? 'any edge is met' : 'all edges are met'}</Fact>}
      {continue_on_error && <Fact name="A failure">is treated as data, and the graph continues</Fact>}
      {config && Object.keys(config).length > 0 && (
        <Fact name="Config">
          <Block text={pretty(config)} />
        </Fact>
      )}
    </dl>
  );
}
