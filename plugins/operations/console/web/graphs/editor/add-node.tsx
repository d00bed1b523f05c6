import { X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Empty } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import { iconOf } from '../canvas/icons.ts';
import { DRAGGED } from './surface.tsx';
import { found, nameOfType, type NodeType } from './types.ts';
import { IconButton } from '../../kit/icon-button.tsx';

interface Props {
  types: readonly NodeType[];
  add(type: NodeType): void;
  close(): void;
}

/** All types of nodes: typed for, clicked, dragged onto the canvas, or chosen by keys. */
export function AddNode({ types, add, close }: Props) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const groups = found(types, text);
  const all = groups.flatMap((group) => group.types);
  const chosen = all[Math.min(at, all.length - 1)];
  useEffect(() => {
    if (chosen) document.getElementById(optionId(chosen))?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && chosen) add(chosen);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((Math.min(at, all.length - 1) + step + all.length) % Math.max(1, all.length));
  };
  return (
    <section className="add-node panel" aria-label="Add a node">
      <div className="row">
        <input
          ref={field}
          role="combobox"
          aria-label="Node type"
          aria-expanded
          aria-controls="node-types"
          aria-activedescendant={chosen && optionId(chosen)}
          placeholder="What it does, or a system such as Slack"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <IconButton label="Close" icon={X} onClick={close} />
      </div>
      {all.length === 0 && <Empty>No type matches your search.</Empty>}
      <div id="node-types" role="listbox" aria-label="Node types">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: the group of a listbox
          <div key={group.title} role="group" aria-label={group.title}>
            <p className="quiet" aria-hidden="true">
              {visible(group.title)}
            </p>
            {group.types.map((type) => (
              <div
                key={type.type}
                id={optionId(type)}
                role="option"
                tabIndex={-1}
                aria-selected={type === chosen}
                className="item"
                draggable
                onDragStart={({ dataTransfer }) => dataTransfer.setData(DRAGGED, type.type)}
                onPointerMove={() => setAt(all.indexOf(type))}
                onClick={() => add(type)}
                onKeyDown={onKeyDown}
              >
                <TypeIcon type={type.type} />
                <span className="type-words">
                  <span>
                    {visible(nameOfType(type))} <span className="quiet mono">{visible(type.type)}</span>
                  </span>{' '}
                  {!type.title.endsWith(nameOfType(type)) && <span className="quiet">{visible(type.title)}</span>}
                </span>
              </div>
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

function TypeIcon({ type }: { type: string }) {
  const Icon = iconOf(type);
  return (
    <span className="graph-icon">
      <Icon size={16} aria-hidden />
    </span>
  );
}

const optionId = ({ type }: NodeType): string => `type-${type}`;
