import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { HandlerView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Loading, Name, Problem, Tag, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { listKey } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { DidLately } from './did-lately.tsx';
import { HandlerFields, handlerOf } from './form.tsx';
import { Lately } from './lately.tsx';
import { TestPanel } from './test-panel.tsx';

/** One handler: what it says, what it did lately, and what an event would do. */
export function Handler() {
  const { handler: name, ...scope } = useParams({ from: '/orgs/$org/projects/$project/handlers/$handler' });
  const { event } = useSearch({ from: '/orgs/$org/projects/$project/handlers/$handler' });
  const may = useMay(scope);
  const path = scoped(scope, `/handlers/${encodeURIComponent(name)}`);
  const read = useQuery({ queryKey: ['handler', path], queryFn: ({ signal }) => json<HandlerView>(path, { signal }) });
  const handler = read.data;
  const own = handler && !handler.owner && may('member');
  return (
    <Page
      title={name}
      heading={<Name>{name}</Name>}
      actions={own && <Remove scope={scope} name={name} path={path} />}
      same={{ command: `svc handler show ${name}`, call: `GET ${path}` }}
    >
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {handler && (
        <>
          <Panel>
            <Facts handler={handler} />
          </Panel>
          {own && <Change key={name} path={path} handler={handler} />}
          {may('member') && <TestPanel key={event ?? name} scope={scope} path={path} name={name} event={event} />}
          <Lately scope={scope} handler={handler} />
        </>
      )}
    </Page>
  );
}

const Facts = ({ handler }: { handler: HandlerView }) => (
  <dl>
    <Fact name="Started by">
      {handler.on.map((pattern) => (
        <Tag key={pattern}>{pattern}</Tag>
      ))}
    </Fact>
    {handler.when && (
      <Fact name="Only when">
        <code>{visible(handler.when)}</code>
      </Fact>
    )}
    {handler.owner && <Fact name="Belongs to">{visible(handler.owner)}; it changes with it</Fact>}
    <Fact name="Last 24 hours">
      <DidLately lately={handler.lately} />
    </Fact>
    <Fact name="Set">
      <Time at={handler.set_at} />
    </Fact>
    <WorkflowFacts workflow={{ ...handler }} />
  </dl>
);

function Change({ path, handler }: { path: string; handler: HandlerView }) {
  const client = useQueryClient();
  const save = async (fields: Record<string, string>) => {
    const now = await json<HandlerView>(path, { method: 'PUT', body: handlerOf(fields) });
    client.setQueryData<HandlerView>(['handler', path], (before) => ({ ...now, lately: before?.lately }));
  };
  return (
    <Panel>
      <details>
        <summary>Change it</summary>
        <InlineForm verb="Replace it" run={save}>
          <p className="quiet">It counts for events from the answer on. Runs that it started go on as they are.</p>
          <HandlerFields handler={handler} />
        </InlineForm>
      </details>
    </Panel>
  );
}

function Remove({ scope, name, path }: { scope: Scope; name: string; path: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['handler', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/handlers')) });
    void navigate({ to: '/orgs/$org/projects/$project/handlers', params: scope, search: {} });
  };
  return (
    <Confirm label="Remove" title={`Remove the handler ${name}?`} verb="Remove it" danger run={remove}>
      Events start it no more, and those that wait for a place are refused. Runs that it started go on.
    </Confirm>
  );
}
