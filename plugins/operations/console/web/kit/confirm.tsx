import * as Dialog from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { Problem } from './basics.tsx';
import { Cancel } from './inline-form.tsx';
import { useSending } from './sending.ts';

export interface QuestionProps {
  title: string;
  /** On the button that does it. */
  verb: string;
  danger?: boolean;
  /** Resolves when it is done. */
  run(): Promise<unknown>;
  children: ReactNode;
}

interface Props extends QuestionProps {
  /** The button that opens it. */
  label: ReactNode;
  disabled?: boolean;
  /** The one that is wanted most. */
  main?: boolean;
}

/** A button that asks before it does something that cannot be undone. */
export function Confirm({ label, disabled = false, main = false, ...ask }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <button type="button" className={main ? 'main' : undefined} disabled={disabled}>
          {label}
        </button>
      </Dialog.Trigger>
      <Question {...ask} close={() => setOpen(false)} />
    </Dialog.Root>
  );
}

/** The same, opened by something else: an item of a menu. It is there while it is open. */
export const Asked = ({ close, ...ask }: QuestionProps & { close(): void }) => (
  <Dialog.Root open onOpenChange={close}>
    <Question {...ask} close={close} />
  </Dialog.Root>
);

function Question({ title, verb, danger = false, run, children, close }: QuestionProps & { close(): void }) {
  const { busy, error, send } = useSending();
  const doIt = async () => {
    if (await send(run)) close();
  };
  return (
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="dialog">
        <Dialog.Title>{title}</Dialog.Title>
        <Dialog.Description asChild>
          <div>{children}</div>
        </Dialog.Description>
        {error !== undefined && <Problem error={error} />}
        <div className="row end">
          <Cancel />
          <button type="button" className={danger ? 'danger' : 'main'} disabled={busy} onClick={() => void doIt()}>
            {verb}
          </button>
        </div>
      </Dialog.Content>
    </Dialog.Portal>
  );
}
