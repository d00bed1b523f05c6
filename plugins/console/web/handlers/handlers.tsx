import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { HandlerView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Tag, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { runsWhat } from '../kit/workflow.ts';
import { DidLately } from './did-lately.tsx';
import { HandlerFields, handlerOf } from './form.tsx';

interface Load {
  in_flight: number;
  queued: number;
}

export function Handlers() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/handlers' });
  const { make } = useSearch({ from: '/orgs/$org/projects/$project/handlers' });
  const may = useMay(scope);
  const path = scoped(scope, '/handlers');
  const list = usePaged<'handlers', HandlerView>('handlers', path, {}, { again_ms: AGAIN_MS });
  const load = list.data?.pages[0] as Load | undefined;
  return (
    <Page
      title="Handlers"
      actions={may('member') && !make && <MakeLink scope={scope} />}
      same={{ command: 'svc handler ls', call: `GET ${path}` }}
    >
      {make && may('member') && <MakeHandler scope={scope} />}
      {load && (
        <p className="quiet">
          {load.in_flight} handler runs are queued or running; at 16 no event starts another one. {load.queued}{' '}
          deliveries wait for a place.
        </p>
      )}
      <List list={list} empty="No event starts anything here yet.">
        {(handlers) => (
          <Table columns={['Handler', 'Started by', 'What runs', 'Last 24 hours', '-Set']}>
            {handlers.map((handler) => (
              <Row key={handler.name} scope={scope} handler={handler} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const MakeLink = ({ scope }: { scope: Scope }) => (
  <Link to="/orgs/$org/projects/$project/handlers" params={scope} search={{ make: true }} className="button">
    New handler
  </Link>
);

const Row = ({ scope, handler }: { scope: Scope; handler: HandlerView }) => (
  <tr>
    <td>
      <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler: handler.name }}>
        <Name>{handler.name}</Name>
      </Link>
      {handler.owner && <div className="quiet">of {visible(handler.owner)}</div>}
    </td>
    <td>
      {handler.on.map((pattern) => (
        <Tag key={pattern}>{pattern}</Tag>
      ))}
      {handler.when && <div className="quiet mono clip">{visible(handler.when)}</div>}
    </td>
    <td>{visible(runsWhat({ ...handler }))}</td>
    <td>
      <DidLately lately={handler.lately} />
    </td>
    <td className="tight wide">
      <Time at={handler.set_at} />
    </td>
  </tr>
);

function MakeHandler({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const make = async (fields: Record<string, string>) => {
    const handler = fields.name ?? '';
    const path = scoped(scope, `/handlers/${encodeURIComponent(handler)}`);
    const body = handlerOf(fields);
    await refuseTaken(path, 'handler');
    await json(path, { method: 'PUT', body });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/handlers')) });
    void navigate({ to: '/orgs/$org/projects/$project/handlers/$handler', params: { ...scope, handler } });
  };
  return (
    <Panel title="New handler">
      <InlineForm
        verb="Register it"
        run={make}
        also={
          <Link to="/orgs/$org/projects/$project/handlers" params={scope} search={{}} className="button">
            Leave it
          </Link>
        }
      >
        <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
        <HandlerFields />
      </InlineForm>
    </Panel>
  );
}
