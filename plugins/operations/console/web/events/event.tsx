import { useParams } from '@tanstack/react-router';
import { Clock, Fingerprint, KeyRound, Layers, Radio } from 'lucide-react';
import { useMay } from '../app/session.ts';
import { ChainPanel } from '../chain/chain.tsx';
import { Panels } from '../extensions/panels.tsx';
import { Copy, Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { Page } from '../kit/page.tsx';
import { Effects } from './effects.tsx';
import { EmitButton } from './emit.tsx';
import { From } from './links.tsx';
import { NearMisses } from './near.tsx';
import { Payload } from './payload.tsx';
import { eventPath, useEvent } from './read-event.ts';
import { ReplayButton, Replays } from './replay.tsx';

/** One event: what led to it and what it did at the left, what it carries at the right. */
export function EventPage() {
  const { event: id, ...scope } = useParams({ from: '/orgs/$org/projects/$project/events/$event' });
  const may = useMay(scope);
  const { data: event, error, refetch } = useEvent(scope, id);
  const command = `svc events show ${id}`;
  if (!event)
    return (
      <Page title="Event" same={{ command, call: `GET ${eventPath(scope, id)}` }}>
        {error ? <Problem error={error} again={() => void refetch()} /> : <Loading />}
      </Page>
    );
  return (
    <Detail
      name={event.type}
      summary={
        <>
          <HeadFact icon={Fingerprint}>
            <code>{id}</code> <Copy text={id} label="Copy the event ID" />
          </HeadFact>
          <HeadFact icon={Clock}>
            <Time at={event.recorded_at} />
          </HeadFact>
          <HeadFact icon={Radio}>
            <From scope={scope} event={event} />
          </HeadFact>
          <HeadFact icon={KeyRound}>
            {event.key === null ? 'No key: every run receives it' : <Name>{event.key}</Name>}
          </HeadFact>
          {event.generation > 0 && <HeadFact icon={Layers}>{event.generation} earlier handler runs</HeadFact>}
        </>
      }
      actions={
        may('member') && (
          <>
            <ReplayButton key={`replay ${id}`} scope={scope} event={event} />
            <EmitButton key={id} scope={scope} label="Emit similar event" type={event.type} payload={event.payload} />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      <Split
        title="Activity"
        left={
          <div className="left-cards">
            <ChainPanel scope={scope} kind="events" id={id} />
            {event.replays.length > 0 && <Replays scope={scope} replays={event.replays} />}
            <NearMisses scope={scope} event={event} />
            <Panels scope={scope} place="event" of={{ event: id }} />
          </div>
        }
        command={command}
      >
        <Payload event={event} />
        <Effects scope={scope} event={event} />
      </Split>
    </Detail>
  );
}
