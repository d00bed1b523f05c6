import { type FormEvent, useEffect, useState } from 'react';
import { chosenStatuses, type RunFilters, STATUSES, toggled } from './filters.ts';

const TIMES: readonly [string, string][] = [
  ['', 'Any time'],
  ['1h', 'The last hour'],
  ['24h', 'The last day'],
  ['7d', 'The last week'],
];

/** Every change is in the address at once. */
export function Filters({ filters, onChange }: { filters: RunFilters; onChange(next: RunFilters): void }) {
  const chosen = chosenStatuses(filters);
  const since = filters.since ?? '';
  return (
    <div className="filters">
      <fieldset className="chips">
        <legend className="hidden">Status</legend>
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(status)}
            onClick={() => onChange(toggled(filters, status))}
          >
            {status}
          </button>
        ))}
      </fieldset>
      <Text
        label="Workflow"
        value={filters.workflow}
        onChange={(workflow) => onChange(without(filters, { workflow }))}
      />
      <Text label="Tag" value={filters.tag} onChange={(tag) => onChange(without(filters, { tag }))} />
      <select
        aria-label="Since"
        value={since}
        onChange={({ target }) => onChange(without(filters, { since: target.value }))}
      >
        {!TIMES.some(([value]) => value === since) && <option value={since}>Since {since}</option>}
        {TIMES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </div>
  );
}

const without = (filters: RunFilters, change: RunFilters): RunFilters =>
  Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value));

function Text({
  label,
  value = '',
  onChange,
}: {
  label: string;
  value?: string | undefined;
  onChange(text: string): void;
}) {
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
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => text.trim() !== value && onChange(text.trim())}
      />
    </form>
  );
}
