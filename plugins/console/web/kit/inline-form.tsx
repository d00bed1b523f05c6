import { type FormEvent, type ReactNode, useState } from 'react';
import { Problem } from './basics.tsx';

interface Props {
  /** On the button that sends it. */
  verb: string;
  /** Resolves when it is done. */
  run(fields: Record<string, string>): Promise<unknown>;
  /** Beside the button. */
  also?: ReactNode;
  children: ReactNode;
}

/** A form that stands on the page. What was typed stays when the server refuses it. */
export function InlineForm({ verb, run, also, children }: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (form: HTMLFormElement) => {
    setBusy(true);
    setError(undefined);
    try {
      const texts = [...new FormData(form)].filter(([, value]) => typeof value === 'string');
      await run(Object.fromEntries(texts) as Record<string, string>);
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void send(event.currentTarget);
  };
  return (
    <form className="fields" autoComplete="off" onSubmit={submit}>
      {children}
      {error !== undefined && <Problem error={error} />}
      <div className="row">
        <button type="submit" className="main" disabled={busy}>
          {verb}
        </button>
        {also}
      </div>
    </form>
  );
}
