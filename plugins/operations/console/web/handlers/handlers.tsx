import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FlaskConical, Pencil, Plus, Trash2, Zap } from 'lucide-react';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, StatusIcon, Tag, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { FormDrawer } from '../kit/drawer.tsx';
import { FilterBar } from '../kit/filter-bar.tsx';
import { List } from '../kit/list.tsx';
import { hasWords } from '../kit/list-address.ts';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { runsWhat } from '../kit/workflow.ts';
import { ACTIVITIES, activityOf, LastDay } from './activity.tsx';
import { HandlerFields, handlerOf } from './form.tsx';
import { ChangeHandler, RemoveHandler } from './changes.tsx';

interface Load {
  in_flight: number;
  queued: number;
}

const FROM = '/orgs/$org/projects/$project/handlers';
/** Every handler of a project: words and filters are looked for in all of them. */
const ALL = { limit: 200 };
const TAGS = 2;

export function Handlers() {
  const scope = useParams({ from: FROM });
  const { make, find = '', state } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const may = useMay(scope);
  const path = scoped(scope, '/handlers');
  const list = usePaged<'handlers', HandlerView>('handlers', path, ALL, { again_ms: AGAIN_MS });
  const load = list.data?.pages[0] as Load | undefined;
  const fits = (handler: HandlerView) =>
    hasWords([handler.name, ...handler.on, handler.when, runsWhat({ ...handler })], find) &&
    (state === undefined || activityOf(handler) === state);
  const makeLink = may('member') && (
    <Link to={FROM} params={scope} search={{ make: true }} className="button main">
      <Plus size={16} aria-hidden /> New handler
    </Link>
  );
  return (
    <Page
      title="Handlers"
      bleed
      about={list.items?.length || undefined}
      actions={makeLink}
      same={{ command: 'svc handler ls', call: `GET ${path}` }}
    >
      {make && may('member') && <MakeHandler scope={scope} />}
      <FilterBar
        label="Find a handler"
        hint="Name, event type or workflow"
        find={find}
        choices={[ACTIVITIES]}
        chosen={{ state }}
        onChange={(search) => void navigate({ search, replace: true })}
      >
        {load && (
          <span className="quiet" title="At 16 queued or running handler runs, further events wait.">
            {load.in_flight} of 16 slots in use{load.queued > 0 && ` · ${load.queued} events wait`}
          </span>
        )}
      </FilterBar>
      <List
        list={list}
        nothing={
          <Empty icon={Zap} title="No handlers yet" action={makeLink}>
            A handler starts a workflow when an event of its types arrives.
          </Empty>
        }
      >
        {(handlers) => <Found scope={scope} handlers={handlers.filter(fits)} />}
      </List>
    </Page>
  );
}

function Found({ scope, handlers }: { scope: Scope; handlers: readonly HandlerView[] }) {
  if (handlers.length === 0) return <Empty title="No handler fits these filters" />;
  return (
    <Rows<HandlerView>
      label="Handlers"
      head="Handler"
      items={handlers}
      keyOf={({ name }) => name}
      mark={(handler) => <StatusIcon of={activityOf(handler)} />}
      title={({ name }) => (
        <Link className="clip" to={`${FROM}/$handler`} params={{ ...scope, handler: name }} title={visible(name)}>
          {visible(name)}
        </Link>
      )}
      beside={({ owner }) => owner && <Tag>{owner.replace(':', ' ')}</Tag>}
      columns={[
        { name: 'Event types', look: 'c-name', cell: ({ on }) => <Types on={on} /> },
        {
          name: 'Condition',
          look: 'c-roomy second',
          cell: ({ when }) =>
            when ? <code title={visible(when)}>{visible(when)}</code> : <span className="quiet">Every event</span>,
        },
        { name: 'Runs', look: 'c-wide', cell: (handler) => <WhatRuns workflow={{ ...handler }} /> },
        { name: 'Last 24 hours', look: 'c-state second', cell: LastDay },
        { name: 'Changed', look: 'c-end c-wide', cell: ({ set_at }) => <Time at={set_at} /> },
      ]}
      second={(handler) => (
        <>
          <span className="clip">
            <Types on={handler.on} />
          </span>
          <span className="push">
            <LastDay lately={handler.lately} />
          </span>
        </>
      )}
      actions={(handler) => <HandlerMenu scope={scope} handler={handler} small />}
    />
  );
}

const Types = ({ on }: { on: readonly string[] }) => (
  <span className="tags" title={on.map(visible).join(', ')}>
    {on.slice(0, TAGS).map((pattern) => (
      <Tag key={pattern}>{pattern}</Tag>
    ))}
    {on.length > TAGS && <span className="quiet">+{on.length - TAGS}</span>}
  </span>
);

interface MenuProps {
  scope: Scope;
  handler: HandlerView;
  small?: boolean;
}

/** What the graph of a handler owns is changed there. */
function HandlerMenu({ scope, handler, small = false }: MenuProps) {
  const may = useMay(scope);
  const navigate = useNavigate();
  if (!may('member')) return null;
  const params = { ...scope, handler: handler.name };
  return (
    <ActionMenu
      label={`Actions for ${handler.name}`}
      small={small}
      actions={[
        {
          icon: FlaskConical,
          label: 'Test with an event',
          run: () => void navigate({ to: `${FROM}/$handler`, params, search: {} }),
        },
        !handler.owner && {
          icon: Pencil,
          label: 'Edit handler',
          opens: (close) => <ChangeHandler scope={scope} name={handler.name} close={close} />,
        },
        !handler.owner && {
          icon: Trash2,
          label: 'Remove handler',
          danger: true,
          opens: (close) => <RemoveHandler scope={scope} name={handler.name} close={close} />,
        },
      ]}
    />
  );
}

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
    await navigate({ to: `${FROM}/$handler`, params: { ...scope, handler } });
  };
  const close = () => void navigate({ to: FROM, params: scope, search: (old) => ({ ...old, make: undefined }) });
  return (
    <FormDrawer title="New handler" verb="Create handler" close={close} run={make} leaves>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <HandlerFields />
    </FormDrawer>
  );
}
