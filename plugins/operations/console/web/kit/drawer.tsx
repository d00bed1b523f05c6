import * as Dialog from '@radix-ui/react-dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { InlineForm } from './inline-form.tsx';
import './drawer.css';

interface Props {
  title: string;
  close(): void;
  children: ReactNode;
}

/** Whoever opens a form types at once. */
function toFirstField(event: Event): void {
  const field = (event.target as HTMLElement).querySelector<HTMLElement>('input, select, textarea');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** A panel at the side of the page, for what takes longer than a question. It is there while it is open. */
export const Drawer = ({ title, close, children }: Props) => (
  <Dialog.Root open onOpenChange={close}>
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="drawer wide-drawer" aria-describedby={undefined} onOpenAutoFocus={toFirstField}>
        <div className="drawer-head">
          <Dialog.Title>{title}</Dialog.Title>
          <Dialog.Close className="ghost icon small" aria-label="Close">
            <X size={16} aria-hidden />
          </Dialog.Close>
        </div>
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

interface FormProps extends Props {
  /** On the button that sends it. */
  verb: string;
  /** Resolves when it is done; the drawer closes then, and stays as it is when the server refuses. */
  run(fields: Record<string, string>): Promise<unknown>;
  /** It goes to another page by itself, so nothing is to be closed. */
  leaves?: boolean;
}

export const FormDrawer = ({ title, verb, close, run, leaves = false, children }: FormProps) => (
  <Drawer title={title} close={close}>
    <InlineForm verb={verb} run={run} {...(!leaves && { done: close })} inDialog>
      {children}
    </InlineForm>
  </Drawer>
);
