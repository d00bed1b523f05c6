import * as Dialog from '@radix-ui/react-dialog';
import { useState } from 'react';
import { parseJson } from '../../kit/json.ts';
import { visible } from '../../kit/text.ts';

interface Props {
  /** What it is the data of. */
  name: string;
  value: unknown;
  /** Throws when it cannot be kept. */
  pin(value: unknown): void;
  close(): void;
}

/** Data that somebody types or pastes, for trying nodes. */
export function SampleForm({ name, value, pin, close }: Props) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const [fault, setFault] = useState<string>();
  const done = () => {
    try {
      pin(parseJson(text));
      close();
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <Dialog.Root open onOpenChange={close}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>Sample for {visible(name)}</Dialog.Title>
          <p className="quiet">
            Expressions on this page use the sample instead of the data of the last run. It stays in this browser until
            you sign out, and is not part of the graph.
          </p>
          <label>
            Sample, as JSON
            <textarea rows={14} spellCheck={false} value={text} onChange={({ target }) => setText(target.value)} />
          </label>
          {fault && (
            <p className="bad" role="alert">
              {visible(fault)}
            </p>
          )}
          <div className="row end">
            <Dialog.Close asChild>
              <button type="button">Cancel</button>
            </Dialog.Close>
            <button type="button" className="main" onClick={done}>
              Pin sample
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
