import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleCheck, Hourglass, Repeat, TrendingUp, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Insights as Found } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Loading, Problem, Time } from '../kit/basics.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { type Column, Rows } from '../kit/rows.tsx';
import { count, span, visible } from '../kit/text.ts';
import { WindowChoice } from '../overview/window-choice.tsx';

const FROM = '/orgs/$org/projects/$project/insights';

type Wait = Found['waits'][number];
type Retries = Found['retries'][number];
type Slower = Found['slower'][number];
type Idle = Found['handlers'][number];

/** What cost time lately: waits, retries that never helped, calls that became slower, and handlers that started no run. */
export function Insights() {
  const scope = useParams({ from: FROM });
  const { window = '24h' } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const path = scoped(scope, `/insights${query({ since: window })}`);
  const found = useQuery({
    queryKey: ['insights', path],
    queryFn: ({ signal }) => json<Found>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  const { data } = found;
  return (
    <Page
      title="Insights"
      about={
        data && `${count(data.runs)} ${data.runs === 1 ? 'run' : 'runs'}${data.complete ? '' : ', the newest ones'}`
      }
      actions={
        <WindowChoice
          window={window}
          choose={(chosen) => void navigate({ search: { window: chosen }, replace: true })}
        />
      }
      same={{ command: `svc explain --since ${window}`, call: `GET ${path}` }}
    >
      {found.error && <Problem error={found.error} again={() => void found.refetch()} />}
      {!data && !found.error && <Loading />}
      {data && isEmpty(data) && (
        <Empty icon={CircleCheck} title="Nothing stands out">
          No run waited for long, every retry helped at times, no call became slower, and every handler started a run.
        </Empty>
      )}
      {data && <Findings scope={scope} found={data} />}
    </Page>
  );
}

const isEmpty = ({ waits, retries, slower, handlers }: Found): boolean =>
  [waits, retries, slower, handlers].every(({ length }) => length === 0);

function Findings({ scope, found: { waits, retries, slower, handlers } }: { scope: Scope; found: Found }) {
  const run = {
    name: 'Run',
    look: 'c-end',
    cell: ({ run_id }: { run_id: string }) => <RunLink scope={scope} run={run_id} />,
  };
  return (
    <>
      <Section title="Waits" items={waits}>
        <Rows<Wait>
          {...callRows(scope, 'Waits', Hourglass)}
          items={waits}
          columns={[
            { name: 'Total', look: 'c-short', cell: ({ total_ms }) => span(total_ms) },
            { name: 'Longest', look: 'c-short', cell: ({ longest_ms }) => span(longest_ms) },
            {
              name: 'Waits',
              look: 'c-short c-wide second',
              cell: ({ count: n, open }) => `${count(n)}${open > 0 ? `, ${open} open` : ''}`,
            },
            advice(),
            run,
          ]}
          aside={({ total_ms }) => span(total_ms)}
        />
      </Section>
      <Section title="Retries that never helped" items={retries}>
        <Rows<Retries>
          {...callRows(scope, 'Retries that never helped', Repeat)}
          items={retries}
          columns={[
            {
              name: 'Attempts',
              look: 'c-short',
              cell: ({ attempts, calls }) => `${count(attempts)} of ${count(calls)} calls`,
            },
            { name: 'Time', look: 'c-short', cell: ({ lost_ms }) => span(lost_ms) },
            advice(),
            run,
          ]}
          aside={({ attempts }) => `${count(attempts)} attempts`}
        />
      </Section>
      <Section title="Slower than before" items={slower}>
        <Rows<Slower>
          {...callRows(scope, 'Slower than before', TrendingUp)}
          items={slower}
          columns={[
            { name: 'Before', look: 'c-short', cell: ({ before_ms }) => span(before_ms) },
            { name: 'Now', look: 'c-short', cell: ({ after_ms }) => span(after_ms) },
            advice(),
            run,
          ]}
          aside={({ before_ms, after_ms }) => `${span(before_ms)} → ${span(after_ms)}`}
        />
      </Section>
      <Section title="Handlers that started no run" items={handlers}>
        <Rows<Idle>
          label="Handlers that started no run"
          head="Handler"
          items={handlers}
          keyOf={({ name }) => name}
          mark={() => <Mark icon={Zap} />}
          title={({ name }) => (
            <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler: name }}>
              {visible(name)}
            </Link>
          )}
          columns={[
            { name: 'Events', cell: ({ on }) => <span className="clip">{visible(on.join(', '))}</span> },
            { name: 'Last run', look: 'c-short', cell: (handler) => <LastRun handler={handler} /> },
            advice(),
          ]}
          second={(handler) => <LastRun handler={handler} />}
        />
      </Section>
    </>
  );
}

const Section = ({ title, items, children }: { title: string; items: readonly unknown[]; children: ReactNode }) =>
  items.length > 0 && (
    <Panel title={title} flush>
      {children}
    </Panel>
  );

interface Call {
  workflow: string;
  kind: string;
  name: string;
  next: string[];
  run_id: string;
}

/** What every table of calls has. */
const callRows = (scope: Scope, label: string, icon: Parameters<typeof Mark>[0]['icon']) => ({
  label,
  head: 'Call',
  keyOf: ({ workflow, kind, name }: Call) => `${workflow} ${kind} ${name}`,
  mark: () => <Mark icon={icon} />,
  title: ({ kind, name, run_id }: Call) => (
    <Link className="clip" to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }}>
      {visible(callName(kind, name))}
    </Link>
  ),
  beside: ({ workflow }: Call) => <span className="quiet clip">{visible(workflow)}</span>,
  second: ({ workflow }: Call) => <span className="quiet clip">{visible(workflow)}</span>,
});

const callName = (kind: string, name: string): string => {
  if (kind === 'agent') return 'Waiting for an agent';
  return name === '' || name === kind ? kind : `${kind} ${name}`;
};

const advice = <Item extends { next: string[] }>(): Column<Item> => ({
  name: 'What to do',
  look: 'c-roomy second',
  cell: ({ next }) => (
    <span className="clip" title={visible(next.join('\n'))}>
      {visible(sentence(next[0] ?? ''))}
    </span>
  ),
});

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const RunLink = ({ scope, run }: { scope: Scope; run: string }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run }} className="mono" title={run}>
    …{run.slice(-6)}
  </Link>
);

const LastRun = ({ handler: { last_run_at } }: { handler: Idle }) =>
  last_run_at === null ? <span className="quiet">Never</span> : <Time at={last_run_at} />;
