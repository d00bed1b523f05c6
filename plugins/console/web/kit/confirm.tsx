import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { Problem } from './basics.tsx';
import { useSending } from './sending.ts';

interface Props {
  /** The button that opens it. */
  label: string;
  title: string;
  /** On the button that does it. */
  verb: string;
  danger?: boolean;
  disabled?: boolean;
  /** Resolves when it is done. */
  run(): Promise<unknown>;
  children: ReactNode;
}

/** A button that asks before it does something that cannot be undone. */
export function Confirm({ label, title, verb, danger = false, disabled = false, run, children }: Props) {
  const [open, setOpen] = useState(false);
  const { busy, error, send } = useSending();
  const doIt = async () => {
    if (await send(run)) setOpen(false);
  };
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <button type="button" disabled={disabled}>
          {label}
        </button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>{title}</Dialog.Title>
          <Dialog.Description asChild>
            <div>{children}</div>
          </Dialog.Description>
          {error !== undefined && <Problem error={error} />}
          <div className="row end">
            <Dialog.Close asChild>
              <button type="button">Leave it</button>
            </Dialog.Close>
            <button type="button" className={danger ? 'danger' : 'main'} disabled={busy} onClick={() => void doIt()}>
              {verb}
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
