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
  inDialog?: boolean;
  danger?: boolean;
  /** Beside the button. */
  also?: ReactNode;
  children: ReactNode;
}

/** A form that stands on the page. What was typed stays when the server refuses it. */
export function InlineForm({ verb, run, done, inDialog = false, danger = false, also, children }: Props) {
  const { busy, error, send } = useSending();
  const submit = async (form: HTMLFormElement) => {
    if (await send(() => run(fieldsOf(form)))) done?.();
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit(event.currentTarget);
  };
  const button = (
    <button type="submit" className={danger ? 'danger' : 'main'} disabled={busy}>
      {verb}
    </button>
  );
  return (
    <form className="fields" autoComplete="off" onSubmit={onSubmit}>
      {children}
      {error !== undefined && <Problem error={error} />}
      {/* In a dialog the way back stands first, and what it does last. */}
      <div className={inDialog ? 'row end' : 'row'}>
        {inDialog ? also : button}
        {inDialog ? button : also}
      </div>
    </form>
  );
}
