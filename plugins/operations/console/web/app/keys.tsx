import * as Dialog from '@radix-ui/react-dialog';
import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Scope } from '../api/paths.ts';
import { isField } from '../kit/is-field.ts';
import { areasFor } from './areas.ts';
import { MOD } from './palette.tsx';
import { useMay } from './session.ts';

/** `g` and then a letter go to a page when they follow each other so soon. */
const CHORD_MS = 1200;

const EVERYWHERE: readonly (readonly [string, readonly string[]])[] = [
  ['Search or run', [`${MOD}K`, '/']],
  ['Move through a list', ['J', 'K']],
  ['Open', ['↵']],
  ['Select', ['X']],
  ['Show or hide children', ['→', '←']],
  ['Filter', ['F']],
  ['Approve, reject', ['A', 'R']],
  ['All shortcuts', ['?']],
];

/** The keys that do the same on every page, and the list of all of them. */
export function Keys({ scope, find }: { scope: Scope; find(): void }) {
  const [help, setHelp] = useState(false);
  const navigate = useNavigate();
  const may = useMay(scope);
  const areas = areasFor(may);
  const chord = useRef(0);
  const onKey = (event: KeyboardEvent) => {
    const { key } = event;
    const palette = key === 'k' && (event.ctrlKey || event.metaKey);
    // An editor lives in a shadow root, which hides from the event in what one types.
    const [typed = null] = event.composedPath();
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !isField(typed);
    const goes = plain && event.timeStamp - chord.current < CHORD_MS;
    chord.current = plain && key === 'g' && !goes ? event.timeStamp : 0;
    const area = goes ? areas.find((one) => one.key === key) : undefined;
    // Tab goes on in the page that was asked for, and not in the navigation before it.
    if (area) void navigate({ to: area.to, params: scope }).then(() => document.getElementById('main')?.focus());
    else if (palette || (plain && key === '/')) find();
    else if (plain && key === '?' && !(event.target as Element).closest('.graph-editor')) setHelp(true);
    else return;
    event.preventDefault();
  };
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      // A page that has taken the key itself has done with it, and a dialog has its own.
      if (!event.defaultPrevented && !document.querySelector('[role=dialog]')) latest.current(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <Dialog.Root open={help} onOpenChange={setHelp}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <div className="row">
            <Dialog.Title>Keyboard shortcuts</Dialog.Title>
            <Dialog.Close className="ghost icon small push" aria-label="Close">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <dl className="keys">
            {EVERYWHERE.map(([does, keys]) => (
              <Key key={does} does={does} keys={keys} />
            ))}
            {areas.map(({ name, key }) => (
              <Key key={name} does={name} keys={['G', key.toUpperCase()]} />
            ))}
          </dl>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const Key = ({ does, keys }: { does: string; keys: readonly string[] }) => (
  <div>
    <dt>{does}</dt>
    <dd>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dd>
  </div>
);
