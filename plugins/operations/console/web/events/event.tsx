import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Panels } from '../extensions/panels.tsx';
import { ChainPanel } from '../chain/chain.tsx';
import { Copy, Empty, Loading, Name, Problem, Status, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Fact } from '../kit/facts.tsx';
import { Table } from '../kit/list.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { pretty, visible } from '../kit/text.ts';
import { EmitButton } from './emit.tsx';
import { NearMisses } from './near.tsx';
import { ReplayButton, Replays } from './replay.tsx';
import { From, ShortRun } from './table.tsx';

/** One event with what it carries and what came of it. */
export function EventPage() {
  const { event: id, ...scope } = useParams({ from: '/orgs/$org/projects/$project/events/$event' });
  const may = useMay(scope);
  const path = scoped(scope, `/events/${encodeURIComponent(id)}`);
  const read = useQuery({
    queryKey: ['event', path],
    queryFn: ({ signal }) => json<ShownEvent>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const event = read.data;
  return (
    <Page
      title={event ? `${event.type} ${id.slice(-6)}` : 'Event'}
      heading={event ? <Name>{event.type}</Name> : 'Event'}
      actions={
        event &&
        may('member') && (
          <>
            <ReplayButton key={`replay ${id}`} scope={scope} event={event} />
            <EmitButton key={id} scope={scope} label="Emit similar event" type={event.type} payload={event.payload} />
          </>
        )
      }
      same={{ command: `svc events show ${id}`, call: `GET ${path}` }}
    >
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {event && (
        <>
          <Panel>
            <Facts scope={scope} event={event} />
          </Panel>
          <Panel title="Effects">
            <Deliveries scope={scope} event={event} />
          </Panel>
          {event.replays.length > 0 && <Replays scope={scope} replays={event.replays} />}
          <NearMisses scope={scope} event={event} />
          <ChainPanel scope={scope} kind="events" id={id} />
          <Panel title="Payload" aside={<Copy text={pretty(event.payload)} label="Copy the payload" />}>
            <Block text={pretty(event.payload)} />
          </Panel>
          <Panels scope={scope} place="event" of={{ event: id }} />
          {event.fields && Object.keys(event.fields).length > 0 && (
            <Panel title="Other data">
              <Block text={pretty(event.fields)} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

const Facts = ({ scope, event }: { scope: Scope; event: ShownEvent }) => (
  <dl>
    <Fact name="Event">
      <code>{event.event}</code> <Copy text={event.event} label="Copy the event ID" />
    </Fact>
    <Fact name="Key">{event.key === null ? 'none: all runs see it' : <Name>{event.key}</Name>}</Fact>
    <Fact name="Comes from">
      <From scope={scope} event={event} />
    </Fact>
    {event.generation > 0 && <Fact name="Earlier handler runs">{event.generation}</Fact>}
    <Fact name="Recorded">
      <Time at={event.recorded_at} />
    </Fact>
  </dl>
);

type Delivery = ShownEvent['deliveries'][number];

function Deliveries({ scope, event: { deliveries, more } }: { scope: Scope; event: ShownEvent }) {
  if (deliveries.length === 0)
    return <Empty>Nothing: no handler, webhook, wait or cancel of the project matches this type and key.</Empty>;
  return (
    <>
      <Table columns={['Receiver', 'Outcome', 'Run']}>
        {deliveries.map((one) => (
          <tr key={`${one.reaction} ${one.name} ${one.run_id}`}>
            <td>
              {one.reaction} <Who scope={scope} delivery={one} />
            </td>
            <td>
              <Status of={one.state} />
              {one.reason && <div>{visible(one.reason)}</div>}
            </td>
            <td>{one.run_id && <ShortRun scope={scope} run_id={one.run_id} />}</td>
          </tr>
        ))}
      </Table>
      {more !== undefined && more > 0 && <p className="quiet">And {more} more waits and cancels.</p>}
    </>
  );
}

function Who({ scope, delivery: { reaction, name } }: { scope: Scope; delivery: Delivery }): ReactNode {
  const text = <Name>{name}</Name>;
  if (reaction === 'handler')
    return (
      <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler: name }}>
        {text}
      </Link>
    );
  if (reaction === 'webhook')
    return (
      <Link to="/orgs/$org/projects/$project/webhooks/$webhook" params={{ ...scope, webhook: name }}>
        {text}
      </Link>
    );
  return null;
}
