import { useState } from 'react';
import type { NodeRecord, RunRecord } from '../../../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { Same } from '../../kit/page.tsx';
import { visible } from '../../kit/text.ts';
import type { GraphDocument, GraphNode } from '../document.ts';
import { ExpressionField } from '../expressions/expression-field.tsx';
import { useNamesOfRun } from '../expressions/use-names.ts';
import { ExpressionValue } from '../expressions/value.tsx';
import { expressionsIn } from './evaluated.ts';

/** A node of a run, with all that the run and its graph say of it. */
export interface NodeProps {
  scope: Scope;
  run: RunRecord;
  node: GraphNode;
  nodes: readonly NodeRecord[];
  document: GraphDocument;
}

/** The expressions of a node with the values that they have over what the run recorded, and any other one. */
export function Values(props: NodeProps) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Expressions, with the data of this run</summary>
      {open && <Evaluated {...props} />}
    </details>
  );
}

function Evaluated({ scope, run, node, nodes, document }: NodeProps) {
  const names = useNamesOfRun(scope, document, node.id, run, nodes);
  const [text, setText] = useState('');
  return (
    <>
      <div className="graph-values">
        {expressionsIn(node.type, node.config).map((found) => (
          <div key={found.where}>
            <div className="quiet">{visible(found.where)}</div>
            <code>{visible(found.text)}</code>
            <div>
              <ExpressionValue expression={found.text} names={names} />
            </div>
          </div>
        ))}
      </div>
      <h3>Try an expression here</h3>
      <ExpressionField label="Try an expression here" value={text} onChange={setText} names={names} />
      <Same by={{ command: "svc expr '…' --names '…'", call: `POST ${scoped(scope, '/expressions/evaluate')}` }} />
    </>
  );
}
