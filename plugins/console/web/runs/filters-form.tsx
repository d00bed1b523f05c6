import { FilterText, SinceFilter } from '../kit/filter-fields.tsx';
import { chosenStatuses, type RunFilters, STATUSES, toggled } from './filters.ts';

/** The beginnings of what a run may have been started by. */
const STARTERS = ['manual', 'spawn', 'push', 'schedule.tick', 'handler:', 'schedule:', 'event:', 'run:'];

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
      <FilterText
        label="Subject"
        value={filters.subject}
        onChange={(subject) => onChange(without(filters, { subject }))}
      />
      <FilterText
        label="Started by"
        hint="Started by: push, handler:…"
        suggest={STARTERS}
        value={filters.trigger}
        onChange={(trigger) => onChange(without(filters, { trigger }))}
      />
      <SinceFilter since={filters.since} onChange={(since) => onChange(without(filters, { since }))} />
      <FilterText
        label="Created before"
        hint="Before: 2h, 2026-01-31"
        value={filters.until}
        onChange={(until) => onChange(without(filters, { until }))}
      />
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
