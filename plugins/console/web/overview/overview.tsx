import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Summary } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Empty, Loading, Problem, Status } from '../kit/basics.tsx';
import { Panels } from '../extensions/panels.tsx';
import { useBatched } from '../kit/batched.ts';
import { Page, Panel } from '../kit/page.tsx';
import { count, visible } from '../kit/text.ts';
import { InvitationNotice } from '../members/invitation-notice.tsx';
import { RunLine } from './run-line.tsx';
import { WINDOWS, type WindowName } from './windows.ts';

const Chart = lazy(() => import('./chart.tsx'));
/** The summary is read again at most so often, however much happens. */
const AGAIN_MS = 2000;

/** What an operator wants at a glance. */
export function Overview() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/' });
  const { window = '24h' } = useSearch({ from: '/orgs/$org/projects/$project/' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/' });
  const path = scoped(scope, `/summary${query({ window })}`);
  const summary = useQuery({
    queryKey: ['summary', path],
    queryFn: ({ signal }) => json<Summary>(path, { signal }),
    // Rates and times move on though nothing happens.
    refetchInterval: 30_000,
  });
  const again = useBatched(() => void summary.refetch(), AGAIN_MS);
  useLive(scope, 'runs,accounts', again);
  const choose = (next: WindowName) => void navigate({ search: { window: next }, replace: true });
  return (
    <Page
      title="Overview"
      actions={
        <select aria-label="Window" value={window} onChange={({ target }) => choose(target.value as WindowName)}>
          {WINDOWS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      }
      same={{ command: `svc summary --window ${window}`, call: `GET ${path}` }}
    >
      <InvitationNotice scope={scope} />
      {summary.error && <Problem error={summary.error} again={() => void summary.refetch()} />}
      {!summary.data && !summary.error && <Loading />}
      {summary.data && <Content scope={scope} window={window} summary={summary.data} />}
      <Panels scope={scope} place="overview" />
    </Page>
  );
}

function Content({ scope, window, summary }: { scope: Scope; window: WindowName; summary: Summary }) {
  return (
    <>
      <Tiles scope={scope} window={window} summary={summary} />
      <Panel title="Runs that ended">
        <Suspense fallback={<div className="chart" />}>
          <Chart series={summary.series} />
        </Suspense>
      </Panel>
      <div className="columns">
        <Attention scope={scope} summary={summary} />
        <Waits scope={scope} summary={summary} />
        <Failures scope={scope} summary={summary} />
      </div>
    </>
  );
}

function Tiles({
  scope,
  window,
  summary: { runs, throughput, failure_rate, agents },
}: {
  scope: Scope;
  window: WindowName;
  summary: Summary;
}) {
  return (
    <div className="tiles">
      {(['running', 'waiting', 'queued'] as const).map((status) => (
        <RunsTile key={status} scope={scope} search={{ status }} name={status} n={runs[status]} />
      ))}
      <RunsTile scope={scope} search={{ status: 'succeeded', since: window }} name="succeeded" n={runs.succeeded} />
      <RunsTile scope={scope} search={{ status: 'failed', since: window }} name="failed" n={runs.failed} />
      <Tile name="of those that ended failed">{(failure_rate * 100).toFixed(failure_rate < 0.1 ? 1 : 0)} %</Tile>
      <Throughput a_minute={throughput} />
      <Tile name={`of ${agents.slots} slots free, ${agents.connected} ${agents.connected === 1 ? 'agent' : 'agents'}`}>
        {agents.free}
      </Tile>
    </div>
  );
}

/** In the unit in which it is a number that one can picture. */
function Throughput({ a_minute }: { a_minute: number }) {
  const [n, unit] = a_minute >= 1 ? [a_minute, 'minute'] : [a_minute * 60, 'hour'];
  return (
    <Tile name={`ended a${unit === 'hour' ? 'n' : ''} ${unit}`}>
      {n < 10 ? Number(n.toFixed(1)) : count(Math.round(n))}
    </Tile>
  );
}

const Tile = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="tile">
    <strong>{children}</strong>
    <span className="quiet">{name}</span>
  </div>
);

function RunsTile({
  scope,
  search,
  name,
  n,
}: {
  scope: Scope;
  search: { status: string; since?: string };
  name: string;
  n: number;
}) {
  return (
    <Link className="tile" to="/orgs/$org/projects/$project/runs" params={scope} search={search}>
      <strong>{count(n)}</strong>
      <span className="quiet">{name}</span>
    </Link>
  );
}

/** A viewer is not told of accounts and credentials. */
function Attention({ scope, summary: { attention } }: { scope: Scope; summary: Summary }) {
  if (!attention) return null;
  return (
    <Panel title="Needs somebody">
      {attention.length === 0 ? (
        <Empty>Nothing.</Empty>
      ) : (
        <ul className="plain">
          {attention.map(({ kind, name, state, detail, graph }) => (
            <li key={`${kind} ${name} ${graph ?? ''}`}>
              <Link
                to={`/orgs/$org/projects/$project/connections${kind === 'account' ? '' : '/credentials'}`}
                params={scope}
                hash={name}
              >
                {kind} {visible(name)}
              </Link>{' '}
              <Status of={state} />
              <div className="quiet">
                {visible(detail)}
                {graph && ` The graph ${visible(graph)} needs it.`}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Waits({ scope, summary: { waits } }: { scope: Scope; summary: Summary }) {
  return (
    <Panel title="Waits the longest">
      {waits.oldest.length === 0 ? (
        <Empty>Nothing waits.</Empty>
      ) : (
        <ul className="plain">
          {waits.oldest.map((wait) => (
            <RunLine key={wait.run_id} scope={scope} run_id={wait.run_id} workflow={wait.workflow} at={wait.since}>
              {wait.kind.replaceAll('_', ' ')} {visible(wait.name)}
            </RunLine>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Failures({ scope, summary: { failures } }: { scope: Scope; summary: Summary }) {
  return (
    <Panel title="Failed last">
      {failures.length === 0 ? (
        <Empty>Nothing failed.</Empty>
      ) : (
        <ul className="plain">
          {failures.map((one) => (
            <RunLine key={one.run_id} scope={scope} run_id={one.run_id} workflow={one.workflow} at={one.finished_at}>
              <code>{one.code}</code> {visible(one.message)}
            </RunLine>
          ))}
        </ul>
      )}
    </Panel>
  );
}
