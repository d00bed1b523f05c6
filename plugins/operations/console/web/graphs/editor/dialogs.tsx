import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import type { GraphDocument } from '../document.ts';
import { readText, textOf } from './fragment.ts';
import { KEY_HELP } from './keys.ts';

interface Shown {
  title: string;
  close(): void;
  children: ReactNode;
}

/** A dialog that is open as long as it is drawn. */
function Open({ title, close, children }: Shown) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export const KeysDialog = ({ close }: { close(): void }) => (
  <Open title="Keys" close={close}>
    <dl>
      {KEY_HELP.map(([keys, does]) => (
        <div key={keys} className="key-line">
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <CloseRow />
  </Open>
);

/** The document as text: to read, to change, or to put another one in its place. */
export function TextDialog({
  document,
  take,
  close,
}: {
  document: GraphDocument;
  take(document: GraphDocument): void;
  close(): void;
}) {
  const [text, setText] = useState(() => textOf(document));
  const [fault, setFault] = useState<string>();
  const replace = () => {
    try {
      take(readText(text));
      close();
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  const read = async (file: File | undefined) => {
    if (file) setText(await file.text());
  };
  return (
    <Open title="The document as text" close={close}>
      <label>
        From a file{' '}
        <input type="file" accept=".json,application/json" onChange={({ target }) => void read(target.files?.[0])} />
      </label>
      <textarea
        aria-label="Document, as JSON"
        rows={18}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {fault && (
        <p className="bad" role="alert">
          ✕ {fault}
        </p>
      )}
      <div className="row end">
        <Dialog.Close asChild>
          <button type="button">Cancel</button>
        </Dialog.Close>
        <button type="button" className="main" onClick={replace}>
          Use this document
        </button>
      </div>
    </Open>
  );
}

export const LeaveDialog = ({ stay, leave }: { stay(): void; leave(): void }) => (
  <Open title="Leave without saving?" close={stay}>
    <p>Changes since the last save will be lost.</p>
    <div className="row end">
      <button type="button" onClick={stay}>
        Stay
      </button>
      <button type="button" className="danger" onClick={leave}>
        Leave
      </button>
    </div>
  </Open>
);

const CloseRow = () => (
  <div className="row end">
    <Dialog.Close asChild>
      <button type="button">Close</button>
    </Dialog.Close>
  </div>
);

/** Gives the document to the browser as a file. */
export function download(name: string, document: GraphDocument): void {
  const url = URL.createObjectURL(new Blob([textOf(document)], { type: 'application/json' }));
  const link = window.document.createElement('a');
  link.href = url;
  link.download = `${name || 'graph'}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
