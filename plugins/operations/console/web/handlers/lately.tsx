import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical, Radio } from 'lucide-react';
import type { Event, HandlerView, ShownEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { EventLink, ShortRun } from '../events/links.tsx';
import { useEvents } from '../events/use-events.ts';
import { Empty, Loading, Problem, StatusIcon, Time } from '../kit/basics.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { stateWord } from '../kit/state.ts';
import { visible } from '../kit/text.ts';
import { matchesPattern } from '../../../../events/handlers/contract/event-pattern.ts';
import { onlyType } from './patterns.ts';

const LOOKED_AT = 200;
const SHOWN = 20;

type Delivery = ShownEvent['deliveries'][number];

/** An event, and what it came to for one handler; undefined while that is read, null where it was not asked. */
interface Outcome {
  event: Event;
  delivery: Delivery | null | undefined;
}

/** What the newest events of its types came to. */
export function Lately({ scope, handler }: { scope: Scope; handler: HandlerView }) {
  const type = onlyType(handler.on);
  const { list } = useEvents(scope, type === undefined ? {} : { type }, LOOKED_AT);
  const fitting = list.items?.filter((event) => handler.on.some((pattern) => matchesPattern(pattern, event.type)));
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!fitting) return <Loading />;
  if (fitting.length === 0)
    return (
      <Empty icon={Radio} title="No matching events yet">
        None of the newest {LOOKED_AT} events has one of its types. Send one with <code>svc emit &lt;type&gt;</code>.
      </Empty>
    );
  return <Outcomes scope={scope} name={handler.name} events={fitting.slice(0, SHOWN)} />;
}

function Outcomes({ scope, name, events }: { scope: Scope; name: string; events: readonly Event[] }) {
  const may = useMay(scope);
  const ofHandler = (shown: ShownEvent | undefined) =>
    shown && (shown.deliveries.find((one) => one.reaction === 'handler' && one.name === name) ?? null);
  const shown = useQueries({
    queries: events.map(({ event }) => {
      const path = scoped(scope, `/events/${encodeURIComponent(event)}`);
      return {
        queryKey: ['event', path],
        queryFn: ({ signal }: { signal: AbortSignal }) => json<ShownEvent>(path, { signal }),
        staleTime: AGAIN_MS,
        refetchInterval: ({ state }: { state: { data?: ShownEvent | undefined } }) =>
          ofHandler(state.data)?.state === 'queued' ? AGAIN_MS : (false as const),
      };
    }),
  });
  const items = events.map((event, at): Outcome => ({ event, delivery: ofHandler(shown[at]?.data) }));
  return (
    <Rows
      label="Recent events"
      head="Event"
      items={items}
      keyOf={({ event }) => event.event}
      mark={({ delivery }) => <StatusIcon of={delivery?.state ?? 'idle'} silent />}
      title={({ event }) => (
        <EventLink scope={scope} event={event.event}>
          {visible(event.type)}
        </EventLink>
      )}
      beside={({ event }) => <span className="id">{event.event.slice(-6)}</span>}
      columns={[
        { name: 'Result', look: 'second', cell: (item) => <Result scope={scope} item={item} /> },
        { name: 'Received', look: 'c-end', cell: ({ event }) => <Time at={event.recorded_at} /> },
      ]}
      second={(item) => (
        <span className="clip">
          <Result scope={scope} item={item} />
        </span>
      )}
      aside={({ event }) => <Time at={event.recorded_at} />}
      {...(may('member') && {
        actions: ({ event: { event } }: Outcome) => (
          <Link
            to="/orgs/$org/projects/$project/handlers/$handler"
            params={{ ...scope, handler: name }}
            search={{ event }}
            className="button ghost icon small"
            title="Test with this event"
            aria-label={`Test with event ${event.slice(-6)}`}
          >
            <FlaskConical size={14} aria-hidden />
          </Link>
        ),
      })}
    />
  );
}

function Result({ scope, item: { delivery } }: { scope: Scope; item: Outcome }) {
  if (delivery === undefined) return null;
  if (delivery === null)
    return (
      <span
        className="quiet"
        title="It was recorded before the handler existed, or it belongs to a run that a handler started."
      >
        Not delivered to this handler
      </span>
    );
  return (
    <>
      {stateWord(delivery.state)}
      {delivery.run_id && (
        <>
          {' · run '}
          <ShortRun scope={scope} run_id={delivery.run_id} />
        </>
      )}
      {delivery.reason && <span title={visible(delivery.reason)}> · {visible(delivery.reason)}</span>}
    </>
  );
}
