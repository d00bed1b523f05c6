import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { GraphView } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Loading, Tag, Time } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { Table } from '../kit/list.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { GraphCanvas } from './canvas/canvas.tsx';
import type { GraphDocument } from './document.ts';
import { NodeDetails } from './node-details.tsx';
import { RequirementsPanel } from './requirements/panel.tsx';
import { By } from './who.tsx';

const Markdown = lazy(() => import('../kit/markdown.tsx'));

interface Props {
  scope: Scope;
  graph: GraphView;
  document: GraphDocument;
  selected: string | undefined;
  onSelect(node: string | undefined): void;
}

/** A version on the canvas, beside it the chosen node, and what the graph needs. */
export function Drawn({ scope, graph, document, selected, onSelect }: Props) {
  const node = document.nodes.find(({ id }) => id === selected);
  const { title, description } = document;
  return (
    <>
      {(title || description) && (
        <div className="graph-lead">
          {title && <p>{visible(title)}</p>}
          {description && (
            <Suspense fallback={<Loading />}>
              <Markdown text={description} />
            </Suspense>
          )}
        </div>
      )}
      <div className="graph-beside">
        <GraphCanvas
          document={document}
          selected={selected}
          onSelect={onSelect}
          label={`The graph ${visible(graph.name)}`}
        />
        <aside aria-label="Graph details">
          {node ? (
            <NodeDetails scope={scope} node={node} close={() => onSelect(undefined)} />
          ) : (
            <Panel title="Credentials and accounts">
              <RequirementsPanel
                scope={scope}
                of={{ graph: graph.name, version: graph.version_number }}
                onChoose={onSelect}
              />
            </Panel>
          )}
        </aside>
      </div>
      <Panel title="Triggers">
        <Registered scope={scope} graph={graph} />
      </Panel>
      <Panel title="About this version">
        <dl>
          <Fact name="Saved">
            <Time at={graph.set_at} /> <By id={graph.set_by} />
          </Fact>
          <Fact name="Nodes">{document.nodes.length}</Fact>
          {document.on_failure && <Fact name="After a failure">{document.on_failure}</Fact>}
          {document.tags && document.tags.length > 0 && (
            <Fact name="Run tags">
              {document.tags.map((tag) => (
                <Tag key={tag}>{tag}</Tag>
              ))}
            </Fact>
          )}
        </dl>
      </Panel>
    </>
  );
}

function Registered({ scope, graph: { published_version, triggers } }: { scope: Scope; graph: GraphView }) {
  if (published_version === undefined)
    return (
      <p className="quiet">
        Not published. Runs start from Run now, <code>svc submit</code>, a call, a handler or a schedule.
      </p>
    );
  return (
    <>
      <p>
        Version {published_version} is published. {triggers?.length === 0 && 'It has no triggers.'}
      </p>
      {triggers && triggers.length > 0 && (
        <Table columns={['Node', 'Trigger', 'Started by', 'Registered']}>
          {triggers.map(({ node_id, type, on, handler, hook, schedule }) => (
            <tr key={node_id}>
              <td>{visible(node_id)}</td>
              <td>{type.replace('trigger.', '')}</td>
              <td>
                {on?.map((pattern) => (
                  <Tag key={pattern}>{pattern}</Tag>
                ))}
                {type === 'trigger.manual' && 'a submission'}
              </td>
              <td>
                {hook && (
                  <div>
                    <Link to="/orgs/$org/projects/$project/hooks/$hook" params={{ ...scope, hook }}>
                      Hook and its address
                    </Link>
                  </div>
                )}
                {handler && (
                  <div>
                    <Link
                      to="/orgs/$org/projects/$project/handlers/$handler"
                      params={{ ...scope, handler }}
                      search={{}}
                    >
                      Handler
                    </Link>
                  </div>
                )}
                {schedule && (
                  <Link to="/orgs/$org/projects/$project/schedules/$schedule" params={{ ...scope, schedule }}>
                    Schedule
                  </Link>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
