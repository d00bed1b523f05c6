import * as Dialog from '@radix-ui/react-dialog';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Problem } from './basics.tsx';

interface Props {
  /** The button that opens it. */
  label: string;
  title: string;
  /** On the button that sends it. */
  verb: string;
  main?: boolean;
  /** Resolves when it is done. What was typed is kept nowhere else. */
  run(fields: Record<string, string>): Promise<unknown>;
  children: ReactNode;
}

/** The fields by their names. What has spaces around it keeps them: a password may. */
function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const texts = [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return Object.fromEntries(texts) as Record<string, string>;
}

/** A button that opens a form. It stays open, as it is, when the server refuses what it says. */
export function DialogForm({ label, title, verb, main = false, run, children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <button type="button" className={main ? 'main' : undefined}>
          {label}
        </button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>{title}</Dialog.Title>
          <Form verb={verb} run={run} close={() => setOpen(false)}>
            {children}
          </Form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Form({ verb, run, close, children }: Pick<Props, 'verb' | 'run' | 'children'> & { close(): void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (form: HTMLFormElement) => {
    setBusy(true);
    setError(undefined);
    try {
      await run(fieldsOf(form));
      close();
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
      <div className="row end">
        <Dialog.Close asChild>
          <button type="button">Leave it</button>
        </Dialog.Close>
        <button type="submit" className="main" disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  hint?: string;
  value?: string;
  pattern?: string;
  /** What the pattern wants, in words. */
  wants?: string;
  optional?: boolean;
}

export const TextField = ({ name, label, hint, value, pattern, wants, optional = false }: FieldProps) => (
  <label>
    {label}
    <input name={name} required={!optional} defaultValue={value} pattern={pattern} title={wants} spellCheck={false} />
    {hint && <span className="hint">{hint}</span>}
  </label>
);

/** What is typed does not show, and no browser offers to keep it. */
export const HiddenField = ({ name, label, hint }: Pick<FieldProps, 'name' | 'label' | 'hint'>) => (
  <label>
    {label}
    <input name={name} type="password" autoComplete="new-password" required spellCheck={false} />
    {hint && <span className="hint">{hint}</span>}
  </label>
);

export const ChoiceField = ({
  name,
  label,
  value,
  choices,
}: {
  name: string;
  label: string;
  value?: string;
  /** Value and what it is called. */
  choices: readonly (readonly [string, string])[];
}) => (
  <label>
    {label}
    <select name={name} defaultValue={value}>
      {choices.map(([choice, called]) => (
        <option key={choice} value={choice}>
          {called}
        </option>
      ))}
    </select>
  </label>
);
