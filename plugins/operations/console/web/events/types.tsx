import { Link, useParams } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import type { EventType } from '../../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Name, Time } from '../kit/basics.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { EmitButton } from './emit.tsx';
import { Sample } from './sample.tsx';

/** The types of events that the project knows, with what the last one carried. */
export function EventTypes() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/event-types' });
  const may = useMay(scope);
  const path = scoped(scope, '/event-types');
  const list = usePaged<'types', EventType>('types', path, { limit: 200 }, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Event types"
      bleed
      actions={
        <Link to="/orgs/$org/projects/$project/events" params={scope} search={{}} className="button">
          Events
        </Link>
      }
      same={{ command: 'svc events types', call: `GET ${path}` }}
    >
      <List list={list} nothing={<Empty icon={Radio} title="The project has no event types" />}>
        {(types) => (
          <Rows<EventType>
            label="Event types"
            head="Type"
            items={types}
            keyOf={({ type }) => type}
            mark={() => <Mark icon={Radio} />}
            title={({ type }) => <TypeLink scope={scope} type={type} />}
            columns={[
              { ...{ name: 'Origin', look: 'c-wide second' }, cell: ({ source }) => KNOWN[source] },
              { ...{ name: 'Last seen', look: 'c-short second' }, cell: (type) => <LastSeen type={type} /> },
              { ...{ name: '-Payload', look: 'c-act' }, cell: (type) => <Sample type={type} /> },
              {
                ...{ name: '-Emit', look: 'c-act' },
                cell: (type) => may('member') && <Emit scope={scope} type={type} />,
              },
            ]}
            second={(type) => (
              <>
                <LastSeen type={type} /> <Sample type={type} />
                {may('member') && <Emit scope={scope} type={type} />}
              </>
            )}
          />
        )}
      </List>
    </Page>
  );
}

const KNOWN: Record<EventType['source'], string> = {
  platform: 'Built in',
  declared: 'Declared by a workflow or handler',
  seen: 'Recorded in this project',
};

/** Nobody but the service emits these. */
const RESERVED = /^(push|manual|spawn|schedule\.tick|run\..*|svc\..*)$/;

const Emit = ({ scope, type: { type, sample } }: { scope: Scope; type: EventType }) =>
  !RESERVED.test(type) && <EmitButton scope={scope} type={type} payload={sample ?? null} />;

const TypeLink = ({ scope, type }: { scope: Scope; type: string }) => (
  <Link to="/orgs/$org/projects/$project/events" params={scope} search={{ type }}>
    <Name>{type}</Name>
  </Link>
);

const LastSeen = ({ type: { last_seen } }: { type: EventType }) =>
  last_seen ? <Time at={last_seen} /> : <span className="quiet">never</span>;
