import type { ReactNode } from 'react';
import { visible } from '../../kit/text.ts';
import { atField } from './findings.ts';
import { useFormPlace } from './form-context.ts';

interface Props {
  label: string;
  pointer: string;
  required?: boolean;
  description?: string | undefined;
  /** Beside the label. */
  actions?: ReactNode;
  /** Findings of what it holds are shown here too. */
  deep?: boolean;
  children: ReactNode;
}

/** A field with its name, what it means, and what the check says of it. */
export function FieldFrame({ label, pointer, required = false, description, actions, deep = false, children }: Props) {
  const { findings } = useFormPlace();
  return (
    // biome-ignore lint/a11y/useSemanticElements: it may hold fields with names of their own
    <div className="value-field" role="group" aria-label={visible(label)} data-pointer={pointer}>
      <div className="value-head">
        <span aria-hidden="true">
          {visible(label)}
          {required && <span className="bad"> *</span>}
        </span>
        {actions}
      </div>
      {children}
      {description && <span className="hint quiet">{visible(description)}</span>}
      {atField(findings, pointer, deep).map(({ message, within, warning }) => (
        <p key={`${within} ${message}`} className={warning ? 'warns' : 'bad'}>
          {warning ? '! ' : '✕ '}
          {visible(message)}
        </p>
      ))}
    </div>
  );
}
