import { FilterText, SinceFilter } from '../kit/filter-fields.tsx';
import { chosenStatuses, type RunFilters, STATUSES, toggled } from './filters.ts';

/** Every change is in the address at once. */
export function Filters({ filters, onChange }: { filters: RunFilters; onChange(next: RunFilters): void }) {
  const chosen = chosenStatuses(filters);
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
      <FilterText
        label="Workflow"
        value={filters.workflow}
        onChange={(workflow) => onChange(without(filters, { workflow }))}
      />
      <FilterText label="Tag" value={filters.tag} onChange={(tag) => onChange(without(filters, { tag }))} />
      <SinceFilter since={filters.since} onChange={(since) => onChange(without(filters, { since }))} />
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
