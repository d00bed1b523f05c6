import * as Dialog from '@radix-ui/react-dialog';
import type { FormEvent, ReactNode } from 'react';
import { Problem } from './basics.tsx';
import { fieldsOf, useSending } from './sending.ts';

interface Props {
  /** On the button that sends it. */
  verb: string;
  /** Resolves when it is done. What was typed is kept nowhere else. */
  run(fields: Record<string, string>): Promise<unknown>;
  /** Called when it is done. */
  done?(): void;
  /** A button that closes the dialog stands before the one that sends. */
  inDialog?: boolean;
  danger?: boolean;
  children: ReactNode;
}

/** Closes the dialog that it is in. */
export const Cancel = () => (
  <Dialog.Close asChild>
    <button type="button">Cancel</button>
  </Dialog.Close>
);

/** A form that stands on the page. What was typed stays when the server refuses it. */
export function InlineForm({ verb, run, done, inDialog = false, danger = false, children }: Props) {
  const { busy, error, send } = useSending();
  const submit = async (form: HTMLFormElement) => {
    if (await send(() => run(fieldsOf(form)))) done?.();
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(event.currentTarget);
  };
  return (
    <form className="fields" autoComplete="off" onSubmit={onSubmit}>
      {children}
      {error !== undefined && <Problem error={error} />}
      <div className={inDialog ? 'row end' : 'row'}>
        {inDialog && <Cancel />}
        <button type="submit" className={danger ? 'danger' : 'main'} disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  );
}
