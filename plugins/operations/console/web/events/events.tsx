import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { query, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Empty } from '../kit/basics.tsx';
import { AGES, ChipBar, type TypedFilter } from '../kit/chip-bar.tsx';
import { List } from '../kit/list.tsx';
import { LiveMark } from '../kit/live-mark.tsx';
import { Page } from '../kit/page.tsx';
import { usePhone } from '../kit/phone.ts';
import { Switch } from '../kit/switch.tsx';
import { shellQuote } from '../kit/text.ts';
import { EventCard } from './card.tsx';
import { EmitButton } from './emit.tsx';
import { toEventQuery, commandOf, type EventFilters, SOURCES } from './filters.ts';
import { EventRows } from './rows.tsx';
import { useEvents } from './use-events.ts';
import '../kit/detail.css';

const FROM = '/orgs/$org/projects/$project/events';

const KINDS: readonly TypedFilter<'type' | 'key' | 'source' | 'since'>[] = [
  { name: 'type', label: 'Type', operator: 'is', hint: 'order.paid' },
  { name: 'key', label: 'Key', operator: 'is', hint: 'order:20931' },
  { name: 'source', label: 'Source', operator: 'is', hint: 'emit', suggest: SOURCES },
  { name: 'since', label: 'Recorded', operator: 'in the last', hint: '2h, or a time', suggest: AGES },
];

/** The events of the project as they are recorded, and the chosen one beside them. */
export function Events() {
  const scope = useParams({ from: FROM });
  const filters = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const may = useMay(scope);
  const phone = usePhone();
  const asked = toEventQuery(filters);
  const { list, live } = useEvents(scope, asked);
  const { lifecycle, event, ...typed } = filters;
  const go = (next: EventFilters) => void navigate({ search: next, replace: true });
  const rest: EventFilters = { ...(lifecycle && { lifecycle }), ...(event !== undefined && { event }) };
  return (
    <Page
      title="Events"
      bleed
      about={<LiveMark state={live} />}
      actions={
        <>
          <Link to="/orgs/$org/projects/$project/event-types" params={scope} className="button">
            Event types
          </Link>
          <Link to="/orgs/$org/projects/$project/dead-letters" params={scope} search={{}} className="button">
            Dead letters
          </Link>
          {may('member') && <EmitButton scope={scope} type={filters.type} />}
        </>
      }
      same={{ command: commandOf(asked, shellQuote), call: `GET ${scoped(scope, `/events${query({ ...asked })}`)}` }}
    >
      <ChipBar
        kinds={KINDS}
        values={typed}
        onChange={(next) => go({ ...rest, ...next })}
        onClear={() => go(rest)}
        canClear={Object.keys(typed).length > 0}
      >
        <span title="Runs that start and end, including runs started by hand or by another run">Lifecycle events</span>
        <Switch
          label="Show lifecycle events"
          on={asked.exclude === undefined}
          disabled={typed.type !== undefined || typed.source !== undefined}
          onChange={(on) => go({ ...typed, ...(event !== undefined && { event }), ...(on && { lifecycle: 'show' }) })}
        />
      </ChipBar>
      <div className={phone ? undefined : 'split things'}>
        <section className="left" aria-label="Events">
          <List list={list} more="Show older events" nothing={<NoEvents filtered={Object.keys(typed).length > 0} />}>
            {(events) => <EventRows scope={scope} events={events} filters={filters} chosen={event} />}
          </List>
        </section>
        {!phone && (
          <div className="right">
            {event === undefined ? (
              <Empty icon={Radio} title="Select an event">
                Its payload, and the runs that it started, woke and cancelled, appear here.
              </Empty>
            ) : (
              <EventCard key={event} scope={scope} id={event} />
            )}
          </div>
        )}
      </div>
    </Page>
  );
}

const NoEvents = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty icon={Radio} title="No event matches these filters" />
  ) : (
    <Empty icon={Radio} title="No events yet">
      Start with <code>svc emit &lt;type&gt;</code>, or with Emit event.
    </Empty>
  );
