import { useMay } from '../app/session.ts';
import type { Scope } from '../api/paths.ts';
import { Copy, Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { CommandLine } from '../kit/page.tsx';
import { Effects } from './effects.tsx';
import { EventLink, From } from './links.tsx';
import { Payload } from './payload.tsx';
import { useEvent } from './read-event.ts';
import { ReplayButton, Replays } from './replay.tsx';

/** The event beside the list: what it carries and what it did. Its page adds the lineage. */
export function EventCard({ scope, id }: { scope: Scope; id: string }) {
  const may = useMay(scope);
  const { data: event, error, refetch } = useEvent(scope, id);
  if (error) return <Problem error={error} again={() => void refetch()} />;
  if (!event) return <Loading />;
  return (
    <>
      <section className="panel" aria-label={`Event ${id}`}>
        <div className="panel-head">
          <h2>
            <Name>{event.type}</Name>
          </h2>
          <span className="push row">
            {may('member') && <ReplayButton scope={scope} event={event} />}
            <EventLink scope={scope} event={id}>
              Open event
            </EventLink>
          </span>
        </div>
        <div className="card-body">
          <dl>
            <Fact name="ID">
              <code title={id}>…{id.slice(-6)}</code> <Copy text={id} label="Copy the event ID" />
            </Fact>
            <Fact name="Key">{event.key === null ? 'none: every run receives it' : <Name>{event.key}</Name>}</Fact>
            <Fact name="Source">
              <From scope={scope} event={event} />
            </Fact>
            <Fact name="Recorded">
              <Time at={event.recorded_at} />
            </Fact>
          </dl>
        </div>
      </section>
      <Payload event={event} />
      <Effects scope={scope} event={event} />
      {event.replays.length > 0 && <Replays scope={scope} replays={event.replays} />}
      <div className="panel foot">
        <CommandLine command={`svc events show ${id}`} />
      </div>
    </>
  );
}
