import { useState } from 'react';
import { RequirementsPanel } from '../requirements/panel.tsx';
import { TypedText } from './typed-text.tsx';
import { visible } from '../../kit/text.ts';
import { iconOf } from '../canvas/icons.ts';
import { belowName, nodeName } from '../canvas/node-names.ts';
import type { GraphDocument } from '../document.ts';
import { FieldFrame } from './field-frame.tsx';
import { type FormPlace, FormPlaceProvider } from './form-context.ts';
import { changeGraph, type Settings } from './model.ts';
import { type Actions, nodesOnly } from './state.ts';
import { ValueField } from './value-field.tsx';

interface Props {
  document: GraphDocument;
  actions: Actions;
  place: FormPlace;
}

/** What holds for the whole graph, and its nodes as a list. */
export function GraphPanel({ document, actions, place }: Props) {
  const set = (settings: Settings) =>
    actions.apply((now) => changeGraph(now, settings), `graph ${Object.keys(settings).join()}`);
  const inLoop = document.for_item === true;
  const list = (text: string) => {
    const all = text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
    return all.length > 0 ? all : undefined;
  };
  return (
    <FormPlaceProvider value={place}>
      <h2>{inLoop ? 'Loop' : 'Graph'}</h2>
      {inLoop && <p className="quiet">These nodes run for each item. Expressions can use item, index and input.</p>}
      {!inLoop && (
        <FieldFrame label="Graph title" pointer="/title">
          <input
            aria-label="Graph title"
            maxLength={255}
            value={document.title ?? ''}
            onChange={({ target }) => set({ title: target.value || undefined })}
          />
        </FieldFrame>
      )}
      <details>
        <summary>{inLoop ? 'Settings for all items' : 'Settings for all runs'}</summary>
        {!inLoop && (
          <FieldFrame label="Graph description" pointer="/description" description="What the graph does, in Markdown.">
            <textarea
              aria-label="Graph description"
              maxLength={8192}
              value={document.description ?? ''}
              onChange={({ target }) => set({ description: target.value || undefined })}
            />
          </FieldFrame>
        )}
        <FieldFrame label="After a failure" pointer="/on_failure">
          <select
            aria-label="After a failure"
            value={document.on_failure ?? ''}
            onChange={({ target }) => set({ on_failure: (target.value || undefined) as GraphDocument['on_failure'] })}
          >
            <option value="">stop (the default)</option>
            <option value="stop">stop: cancel everything</option>
            <option value="finish">finish: run nodes that do not need the failed node</option>
          </select>
        </FieldFrame>
        {!inLoop && (
          <>
            <FieldFrame
              label="Cancelled by events"
              pointer="/cancel_on"
              deep
              description="Event types, separated by commas."
            >
              <TypedText
                label="Cancelled by events"
                value={(document.cancel_on ?? []).join(', ')}
                take={(text) => (set({ cancel_on: list(text) }), undefined)}
              />
            </FieldFrame>
            <FieldFrame label="Tags" pointer="/tags" deep description="Tags for every run, separated by commas.">
              <TypedText
                label="Tags"
                value={(document.tags ?? []).join(', ')}
                take={(text) => (set({ tags: list(text) }), undefined)}
              />
            </FieldFrame>
            <FieldFrame
              label="Subject"
              pointer="/subject"
              description="For runs whose submission or trigger sets none."
            >
              <input
                aria-label="Subject"
                maxLength={255}
                value={document.subject ?? ''}
                onChange={({ target }) => set({ subject: target.value || undefined })}
              />
            </FieldFrame>
          </>
        )}
        <ValueField
          name="output"
          schema={{
            type: ['object', 'array'],
            description: inLoop
              ? 'The result of an item. By default, the output of the node that ends the loop.'
              : "The run's output. By default, the output of the node that ends the graph.",
          }}
          root={{}}
          value={document.output}
          onChange={(output) => set({ output })}
          pointer="/output"
        />
      </details>
      {!inLoop && <Needs document={document} actions={actions} place={place} />}
      <Outline document={document} actions={actions} />
    </FormPlaceProvider>
  );
}

/** Whether the credentials are there; read when somebody opens it. */
function Needs({ document, actions, place }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Credentials and accounts</summary>
      {open && (
        <RequirementsPanel scope={place.scope} of={{ document }} onChoose={(id) => actions.select(nodesOnly(id))} />
      )}
    </details>
  );
}

function NodeIcon({ type }: { type: string }) {
  const Icon = iconOf(type);
  return <Icon size={14} aria-hidden />;
}

/** All nodes by name: the way to one that is not in view. */
const Outline = ({ document, actions }: Pick<Props, 'document' | 'actions'>) => (
  <section aria-label="Nodes">
    <h3>Nodes</h3>
    {document.nodes.length === 0 && (
      <p className="quiet">
        No nodes yet. Press <kbd>A</kbd> to add one.
      </p>
    )}
    <ul className="plain outline">
      {document.nodes.map((node) => (
        <li key={node.id}>
          <button type="button" className="ghost" onClick={() => actions.select(nodesOnly(node.id))}>
            <NodeIcon type={node.type} />
            <span className="clip">{visible(nodeName(node))}</span>
            <span className="quiet clip">{visible(belowName(node))}</span>
          </button>
        </li>
      ))}
    </ul>
  </section>
);
