import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { query, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { FilterText, SinceFilter } from '../kit/filter-fields.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { shellQuote } from '../kit/text.ts';
import { EmitButton } from './emit.tsx';
import { changed, commandOf, type EventFilters, SOURCES } from './filters.ts';
import { EventTable } from './table.tsx';
import { useEvents } from './use-events.ts';

export function Events() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/events' });
  const filters = useSearch({ from: '/orgs/$org/projects/$project/events' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/events' });
  const may = useMay(scope);
  const list = useEvents(scope, filters);
  const filtered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Events"
      actions={
        <>
          <Link to="/orgs/$org/projects/$project/event-types" params={scope} className="button">
            Types of events
          </Link>
          {may('member') && <EmitButton scope={scope} type={filters.type} />}
        </>
      }
      same={{
        command: commandOf(filters, shellQuote),
        call: `GET ${scoped(scope, `/events${query({ ...filters })}`)}`,
      }}
    >
      <Filters filters={filters} onChange={(next) => void navigate({ search: next, replace: true })} />
      <List
        list={list}
        more="Show older events"
        empty={
          filtered ? (
            'No event matches these filters.'
          ) : (
            <>
              No events yet. Start with <code>svc emit &lt;type&gt;</code>.
            </>
          )
        }
      >
        {(events) => <EventTable scope={scope} events={events} />}
      </List>
    </Page>
  );
}

function Filters({ filters, onChange }: { filters: EventFilters; onChange(next: EventFilters): void }) {
  const change = (part: EventFilters) => onChange(changed(filters, part));
  return (
    <div className="filters">
      <FilterText label="Type" value={filters.type} onChange={(type) => change({ type })} />
      <FilterText label="Key" value={filters.key} onChange={(key) => change({ key })} />
      <select
        aria-label="Source"
        value={filters.source ?? ''}
        onChange={({ target }) => change({ source: target.value })}
      >
        <option value="">Any source</option>
        {SOURCES.map((source) => (
          <option key={source}>{source}</option>
        ))}
      </select>
      <SinceFilter since={filters.since} onChange={(since) => change({ since })} />
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </div>
  );
}
