import { Link, useParams } from '@tanstack/react-router';
import type { EventType } from '../../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { Json } from '../run/facts.tsx';
import { EmitButton } from './emit.tsx';

/** The types of events that the project knows, with what the last one carried. */
export function EventTypes() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/event-types' });
  const path = scoped(scope, '/event-types');
  const list = usePaged<'types', EventType>('types', path, { limit: 200 }, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Types of events"
      actions={
        <Link to="/orgs/$org/projects/$project/events" params={scope} search={{}} className="button">
          Events
        </Link>
      }
      same={{ command: 'svc events types', call: `GET ${path}` }}
    >
      <List list={list} empty="The project has no event types.">
        {(types) => (
          <Table columns={['Type', '-Known because', 'Last seen', '-Payload', 'Actions']}>
            {types.map((type) => (
              <Type key={type.type} scope={scope} type={type} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const KNOWN: Record<EventType['source'], string> = {
  platform: 'the service emits it',
  declared: 'something in the project declares it',
  seen: 'it was recorded here',
};

/** Nobody but the service emits these. */
const RESERVED = /^(push|manual|spawn|schedule\.tick|run\..*|svc\..*)$/;

function Type({ scope, type: { type, source, sample, last_seen } }: { scope: Scope; type: EventType }) {
  const may = useMay(scope);
  return (
    <tr>
      <td>
        <Link to="/orgs/$org/projects/$project/events" params={scope} search={{ type }}>
          <Name>{type}</Name>
        </Link>
      </td>
      <td className="wide quiet">{KNOWN[source]}</td>
      <td className="tight">{last_seen ? <Time at={last_seen} /> : <span className="quiet">never</span>}</td>
      <td className="wide">{sample !== undefined && <Json summary="Last payload" value={sample} />}</td>
      <td>
        {may('member') && !RESERVED.test(type) && (
          <EmitButton scope={scope} label="Emit event" type={type} payload={sample ?? null} />
        )}
      </td>
    </tr>
  );
}
