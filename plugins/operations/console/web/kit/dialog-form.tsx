import * as Dialog from '@radix-ui/react-dialog';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { InlineForm } from './inline-form.tsx';

interface FormProps {
  title: string;
  /** On the button that sends it. */
  verb: string;
  /** Resolves when it is done. What was typed is kept nowhere else. */
  run(fields: Record<string, string>): Promise<unknown>;
  children: ReactNode;
}

interface Props extends FormProps {
  /** The button that opens it. */
  label: ReactNode;
  /** Before the label. */
  icon?: LucideIcon;
  main?: boolean;
}

/** A button that opens a form. It stays open, as it is, when the server refuses what it says. */
export function DialogForm({ label, icon: Icon, main = false, ...form }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <button type="button" className={main ? 'main' : undefined}>
          {Icon && (
            <>
              <Icon size={16} aria-hidden />{' '}
            </>
          )}
          {label}
        </button>
      </Dialog.Trigger>
      <Form {...form} close={() => setOpen(false)} />
    </Dialog.Root>
  );
}

/** The same, opened by something else: an item of a menu. It is there while it is open. */
export const FormDialog = ({ close, ...form }: FormProps & { close(): void }) => (
  <Dialog.Root open onOpenChange={close}>
    <Form {...form} close={close} />
  </Dialog.Root>
);

const Form = ({ title, verb, run, children, close }: FormProps & { close(): void }) => (
  <Dialog.Portal>
    <Dialog.Overlay className="overlay" />
    <Dialog.Content className="dialog" aria-describedby={undefined}>
      <Dialog.Title>{title}</Dialog.Title>
      <InlineForm verb={verb} run={run} done={close} inDialog>
        {children}
      </InlineForm>
    </Dialog.Content>
  </Dialog.Portal>
);

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
