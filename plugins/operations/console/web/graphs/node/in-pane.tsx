import { Pencil, Pin, PinOff } from 'lucide-react';
import { useState } from 'react';
import { Time } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import { nodeName } from '../canvas/node-names.ts';
import type { GraphDocument, GraphNode } from '../document.ts';
import type { ExpressionNames } from '../expressions/names.ts';
import { DataTables, DataTree, type Root } from './data-view.tsx';
import type { Insertion } from './insertion.ts';
import { INPUT, type Pinned, pinOf } from './pins.ts';
import { SampleForm } from './sample-form.tsx';
import { IconButton } from '../../kit/icon-button.tsx';

export type View = 'tree' | 'table';

export const ViewChoice = ({ view, label, set }: { view: View; label: string; set(view: View): void }) => (
  // biome-ignore lint/a11y/useSemanticElements: two buttons beside each other
  <span className="seg push" role="group" aria-label={label}>
    {(['tree', 'table'] as const).map((one) => (
      <button key={one} type="button" aria-pressed={view === one} onClick={() => set(one)}>
        {one === 'tree' ? 'Tree' : 'Table'}
      </button>
    ))}
  </span>
);

interface Props {
  document: GraphDocument;
  node: GraphNode;
  /** With what is pinned. */
  names: ExpressionNames;
  pinned: Pinned;
  insertion: Insertion;
  /** When the run began whose data this is. */
  at: string | undefined;
}

interface Source {
  /** As it is pinned; undefined: it cannot be. */
  pin?: string;
  root: Root;
}

/** The names that the expressions of a node can read, the nearest node first. */
function sourcesOf({ document, node, names }: Pick<Props, 'document' | 'node' | 'names'>): Source[] {
  const { sample, items } = names;
  const titles = new Map(document.nodes.map((node) => [node.id, nodeName(node)]));
  const direct = new Set((document.edges ?? []).filter(({ to }) => to === node.id).map(({ from }) => from));
  const before = names.nodes.toSorted((a, b) => Number(direct.has(b)) - Number(direct.has(a)));
  return [
    ...(items
      ? [
          { root: { path: ['item'], title: 'the first item', value: sample?.item } },
          { root: { path: ['index'], title: 'its index', value: sample?.index ?? 0 } },
        ]
      : []),
    ...before.map((id) => ({
      pin: pinOf(id),
      root: { path: ['nodes', id, 'output'], title: titles.get(id)!, value: sample?.nodes?.[id]?.output },
    })),
    { pin: INPUT, root: { path: ['input'], title: "the run's input", value: sample?.input } },
    ...(sample?.run ? [{ root: { path: ['run'], title: 'the run itself', value: sample.run } }] : []),
    ...(sample?.event === undefined
      ? []
      : [{ root: { path: ['event'], title: 'the event, in “when”', value: sample.event } }]),
  ];
}

/** The data that comes to a node: of the last run, or pinned. Choosing a member puts its expression at the cursor. */
export function InPane(props: Props) {
  const { names, pinned, insertion, at } = props;
  const [view, setView] = useState<View>('tree');
  const [editing, setEditing] = useState<Source>();
  const [said, setSaid] = useState('');
  const sources = sourcesOf(props);
  const roots = sources.map(
    (source): Root => ({
      ...source.root,
      actions: source.pin && <PinActions source={source} {...{ pinned, setEditing }} />,
    }),
  );
  const choose = (cel: string) =>
    setSaid(insertion.insert(cel) ? '' : 'Place the cursor in a field first, then choose a member.');
  const known = names.sample !== undefined;
  return (
    <section className="node-pane pane-in" aria-label="Data in">
      <div className="pane-head">
        <h3>In</h3>
        <span className="quiet">
          {Object.keys(pinned.pins).length > 0 ? (
            <>
              <Pin size={12} aria-hidden /> Sample pinned
            </>
          ) : at ? (
            <>
              Last run <Time at={at} />
            </>
          ) : null}
        </span>
        <ViewChoice view={view} label="Show input data as" set={setView} />
      </div>
      {!known && (
        <p className="quiet">
          No run has data for this node yet. Run the draft, or click the pencil next to a name to enter sample data.
        </p>
      )}
      {view === 'tree' || !known ? (
        <DataTree label="Data that expressions can read" roots={roots} onChoose={choose} />
      ) : (
        <DataTables
          label="Data that expressions can read, as tables"
          roots={roots.filter(({ value }) => value !== undefined)}
          onChoose={choose}
        />
      )}
      <p className="pane-foot quiet" role="status">
        {said || 'Choose a member to insert it at the cursor.'}
      </p>
      {editing?.pin && (
        <SampleForm
          name={editing.root.title}
          value={editing.root.value}
          pin={(value) => pinned.pin(editing.pin!, value)}
          close={() => setEditing(undefined)}
        />
      )}
    </section>
  );
}

interface ActionProps {
  source: Source;
  pinned: Pinned;
  setEditing(source: Source): void;
}

function PinActions({ source, pinned, setEditing }: ActionProps) {
  const name = visible(source.root.title);
  const isPinned = Object.hasOwn(pinned.pins, source.pin!);
  return (
    <span className={isPinned ? 'data-acts on' : 'data-acts'}>
      <IconButton
        label={`Edit the sample of ${name}`}
        icon={Pencil}
        size={12}
        onClick={(event) => {
          event.stopPropagation();
          setEditing(source);
        }}
      />
      {isPinned && (
        <IconButton
          label={`Unpin the sample of ${name}`}
          icon={PinOff}
          size={12}
          onClick={(event) => {
            event.stopPropagation();
            pinned.pin(source.pin!, undefined);
          }}
        />
      )}
    </span>
  );
}
