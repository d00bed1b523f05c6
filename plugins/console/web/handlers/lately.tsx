import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Event, HandlerView, ShownEvent } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { EventLink, ShortRun } from '../events/table.tsx';
import { useEvents } from '../events/use-events.ts';
import { Empty, Loading, Name, Problem, Status, Time } from '../kit/basics.tsx';
import { Table } from '../kit/list.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { fitsPattern, onlyType } from './patterns.ts';

const LOOKED_AT = 200;
const SHOWN = 10;

/** What the newest events of its types came to. */
export function Lately({ scope, handler }: { scope: Scope; handler: HandlerView }) {
  const type = onlyType(handler.on);
  const list = useEvents(scope, type === undefined ? {} : { type }, LOOKED_AT);
  const fitting = list.items?.filter((event) => handler.on.some((pattern) => fitsPattern(pattern, event.type)));
  return (
    <Panel title="What it did lately">
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {!fitting && !list.error && <Loading />}
      {fitting?.length === 0 && <Empty>None of the newest {LOOKED_AT} events is of its types.</Empty>}
      {fitting && fitting.length > 0 && <Outcomes scope={scope} name={handler.name} events={fitting.slice(0, SHOWN)} />}
    </Panel>
  );
}

type Delivery = ShownEvent['deliveries'][number];

function Outcomes({ scope, name, events }: { scope: Scope; name: string; events: readonly Event[] }) {
  const ofHandler = (shown: ShownEvent | undefined) =>
    shown?.deliveries.find((one) => one.reaction === 'handler' && one.name === name);
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
  return (
    <Table columns={['Event', 'Outcome', '-Recorded', 'Actions']}>
      {events.map((event, at) => (
        <Outcome key={event.event} scope={scope} name={name} event={event} read={shown[at]?.data} of={ofHandler} />
      ))}
    </Table>
  );
}

interface OutcomeProps {
  scope: Scope;
  name: string;
  event: Event;
  read: ShownEvent | undefined;
  of(shown: ShownEvent | undefined): Delivery | undefined;
}

function Outcome({ scope, name, event, read, of }: OutcomeProps) {
  const may = useMay(scope);
  const delivery = of(read);
  return (
    <tr>
      <td>
        <EventLink scope={scope} event={event.event}>
          <Name>{event.type}</Name>
        </EventLink>
        <div className="quiet mono">{event.event.slice(-6)}</div>
      </td>
      <td>
        {delivery && <Status of={delivery.state} />}{' '}
        {delivery?.run_id && <ShortRun scope={scope} run_id={delivery.run_id} />}
        {delivery?.reason && <div>{visible(delivery.reason)}</div>}
        {read && !delivery && (
          <span className="quiet">not asked: it was recorded before the handler, or is of a handler run</span>
        )}
      </td>
      <td className="tight wide">
        <Time at={event.recorded_at} />
      </td>
      <td>
        {may('member') && (
          <Link
            to="/orgs/$org/projects/$project/handlers/$handler"
            params={{ ...scope, handler: name }}
            search={{ event: event.event }}
            className="button"
            aria-label={`Test with the event ${event.event.slice(-6)}`}
          >
            Test
          </Link>
        )}
      </td>
    </tr>
  );
}
