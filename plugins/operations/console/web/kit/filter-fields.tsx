import { type FormEvent, useEffect, useId, useState } from 'react';

/** A text to filter by, which counts when it was typed whole. */
export function FilterText({
  label,
  value = '',
  hint = label,
  suggest = [],
  onChange,
}: {
  label: string;
  value?: string | undefined;
  /** What is to be typed, where the label does not say it. */
  hint?: string;
  suggest?: readonly string[];
  onChange(text: string): void;
}) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label={label}
        placeholder={hint}
        list={suggest.length > 0 ? id : undefined}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => text.trim() !== value && onChange(text.trim())}
      />
      {suggest.length > 0 && (
        <datalist id={id}>
          {suggest.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </form>
  );
}

const TIMES: readonly [string, string][] = [
  ['', 'Any time'],
  ['1h', 'The last hour'],
  ['24h', 'The last day'],
  ['7d', 'The last week'],
  ['30d', 'The last 30 days'],
];

export const SinceFilter = ({
  since = '',
  onChange,
}: {
  since?: string | undefined;
  onChange(since: string): void;
}) => (
  <select aria-label="Since" value={since} onChange={({ target }) => onChange(target.value)}>
    {!TIMES.some(([value]) => value === since) && <option value={since}>Since {since}</option>}
    {TIMES.map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
);
