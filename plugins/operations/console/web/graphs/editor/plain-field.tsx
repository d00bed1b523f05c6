import type { AriaAttributes } from 'react';
import type { Field, Schema } from './schema-fields.ts';

interface Props {
  label: string;
  schema: Schema;
  field: Field;
  value: unknown;
  onChange(value: unknown): void;
  required?: boolean;
  /** What else assistive technology hears of the control. */
  aria?: AriaAttributes;
}

/** A short text becomes a field of several lines when it has them. */
const LONG = 60;

const shown = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export function PlainField({ label, schema, field, value, onChange, required = false, aria }: Props) {
  const text = shown(value);
  const set = (now: string) => onChange(now === '' && !required ? undefined : now);
  if (field.kind === 'choice')
    return (
      <select
        {...aria}
        aria-label={label}
        value={text}
        onChange={({ target }) => onChange(chosen(field.choices, target.value))}
      >
        <option value="">{required ? 'Choose one' : 'The default'}</option>
        {field.choices.map((choice) => (
          <option key={shown(choice)} value={shown(choice)}>
            {shown(choice)}
          </option>
        ))}
      </select>
    );
  if (field.kind === 'boolean')
    return (
      <input
        {...aria}
        type="checkbox"
        aria-label={label}
        checked={value === true}
        onChange={({ target }) => onChange(target.checked || (required ? false : undefined))}
      />
    );
  if (field.kind === 'number' || field.kind === 'integer')
    return (
      <input
        {...aria}
        type="number"
        aria-label={label}
        step={field.kind === 'integer' ? 1 : 'any'}
        min={schema.minimum}
        max={schema.maximum}
        value={text}
        onChange={({ target }) => onChange(Number.isNaN(target.valueAsNumber) ? undefined : target.valueAsNumber)}
      />
    );
  if (text.includes('\n') || text.length > LONG)
    return (
      <textarea
        {...aria}
        aria-label={label}
        spellCheck={false}
        rows={Math.min(20, Math.max(2, text.split('\n').length + 1))}
        value={text}
        onChange={({ target }) => set(target.value)}
      />
    );
  return (
    <input {...aria} aria-label={label} spellCheck={false} value={text} onChange={({ target }) => set(target.value)} />
  );
}

const chosen = (choices: readonly unknown[], text: string): unknown => choices.find((choice) => shown(choice) === text);
