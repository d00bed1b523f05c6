import { Link } from '@tanstack/react-router';
import {
  Activity,
  Anchor,
  CalendarClock,
  CirclePlay,
  GitFork,
  type LucideIcon,
  Plug,
  Radio,
  Rss,
  Webhook,
} from 'lucide-react';
import type { Event } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Mark } from '../kit/avatar.tsx';
import { Name, Time } from '../kit/basics.tsx';
import { usePhone } from '../kit/phone.ts';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import type { EventFilters } from './filters.ts';
import { EventLink, From } from './links.tsx';

const ICONS: Record<Event['source'], LucideIcon> = {
  emit: Radio,
  hook: Anchor,
  forge: Webhook,
  lifecycle: Activity,
  schedule: CalendarClock,
  manual: CirclePlay,
  spawn: GitFork,
  account: Plug,
  trigger: Rss,
};

interface Props {
  scope: Scope;
  events: readonly Event[];
  filters: EventFilters;
  /** The event beside the list. */
  chosen: string | undefined;
}

/** Events, newest first. A row shows its event beside the list, and on a phone it opens the page of the event. */
export function EventRows({ scope, events, filters, chosen }: Props) {
  const phone = usePhone();
  return (
    <Rows<Event>
      label="Events"
      head="Event"
      items={events}
      keyOf={({ event }) => event}
      isChosen={({ event }) => event === chosen}
      mark={({ source }) => <Mark icon={ICONS[source]} />}
      title={({ event, type }) =>
        phone ? (
          <EventLink scope={scope} event={event}>
            <Name>{type}</Name>
          </EventLink>
        ) : (
          <Link
            to="/orgs/$org/projects/$project/events"
            params={scope}
            search={{ ...filters, event }}
            replace
            resetScroll={false}
            aria-current={event === chosen ? 'true' : undefined}
          >
            <Name>{type}</Name>
          </Link>
        )
      }
      beside={({ event }) => <span className="id">{event.slice(-6)}</span>}
      columns={[
        {
          ...{ name: 'Key', look: 'c-mid second c-wide' },
          cell: ({ key }) => (key === null ? <span className="quiet">–</span> : visible(key)),
        },
        { name: 'Source', look: 'second', cell: (event) => <From scope={scope} event={event} /> },
        { name: 'Age', look: 'c-end', cell: ({ recorded_at }) => <Time at={recorded_at} /> },
      ]}
      second={(event) => (
        <>
          <From scope={scope} event={event} />{' '}
          {event.key !== null && <span className="clip">{visible(event.key)}</span>}
        </>
      )}
      aside={({ recorded_at }) => <Time at={recorded_at} />}
    />
  );
}
