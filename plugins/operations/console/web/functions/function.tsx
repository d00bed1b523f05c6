import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Hourglass, Layers, Play, Server, Trash2, Users } from 'lucide-react';
import type { FunctionDetails, FunctionView, ListRuns200 } from '../../../../../cli/generated/api.ts';
import { describeConcurrency } from '../../../../execution/functions/explain/concurrency.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { readAgain, useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, Loading, Name, Problem, Status, StatusIcon, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { Fact } from '../kit/facts.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { RunLink } from '../run/facts.tsx';
import { RunTable } from '../runs/table.tsx';
import { servedState, waitingWords } from './group.ts';
import { InputList } from './input-list.tsx';
import './functions.css';

const FROM = '/orgs/$org/projects/$project/functions/$function';
const RUNS = 50;

/** One function: its runs, who serves which version, its input, and what waits for a worker. */
export function FunctionPage() {
  const { function: name, ...scope } = useParams({ from: FROM });
  const path = scoped(scope, `/functions/${encodeURIComponent(name)}`);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['function', path],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => json<FunctionDetails>(path, { signal }),
  });
  return (
    <Detail
      name={name}
      status={data && <State of={data} />}
      summary={data && <Facts of={data} />}
      actions={data && <Actions scope={scope} name={name} path={path} />}
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {data && (
        <Split
          title="Runs"
          about={<span className="push">Newest first</span>}
          left={<Runs scope={scope} name={name} />}
          command={`svc functions show ${name}`}
        >
          {data.waiting.length > 0 && <WaitingPanel scope={scope} of={data} />}
          <VersionsPanel of={data} />
          <InputPanel of={data} />
          <DefinitionPanel of={data} />
        </Split>
      )}
    </Detail>
  );
}

const workersOf = ({ registrations }: FunctionDetails): string[] => [
  ...new Set(registrations.flatMap(({ workers }) => workers)),
];

function State({ of }: { of: FunctionDetails }) {
  const state = servedState({ workers: workersOf(of), waiting: of.waiting.length });
  if (state === 'served') return <Status of="online">Served</Status>;
  return state === 'waiting' ? <Status of="waiting">Runs waiting</Status> : <Status of="skipped">No worker</Status>;
}

function Facts({ of }: { of: FunctionDetails }) {
  const workers = workersOf(of);
  return (
    <>
      <HeadFact icon={Server}>{workers.length === 1 ? '1 worker' : `${workers.length || 'No'} workers`}</HeadFact>
      <HeadFact icon={Layers}>
        <span>
          Version <code>{visible(of.version)}</code>
        </span>
      </HeadFact>
      {of.timeout !== undefined && <HeadFact icon={Hourglass}>Timeout {visible(of.timeout)}</HeadFact>}
      {of.concurrency !== undefined && <HeadFact icon={Users}>{describeConcurrency(of.concurrency)}</HeadFact>}
    </>
  );
}

function Actions({ scope, name, path }: { scope: Scope; name: string; path: string }) {
  const may = useMay(scope);
  const client = useQueryClient();
  const refetch = useRefetch();
  const navigate = useNavigate();
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['function', path] });
    void refetch(listKey(scoped(scope, '/functions')));
    toast(`Function ${name} removed`);
    await navigate({ to: '/orgs/$org/projects/$project/functions', params: scope });
  };
  const removal = {
    icon: Trash2,
    label: 'Remove',
    danger: true,
    opens: (close: () => void) => (
      <Asked title={`Remove the function ${name}?`} verb="Remove function" danger run={remove} close={close}>
        Its versions are removed, and its name can be used again. Runs that have ended are kept. A function that a
        worker serves, or that has an open run, is not removed. <code>svc functions rm {name}</code> does the same.
      </Asked>
    ),
  };
  return (
    <>
      {may('member') && (
        <Link
          className="button main"
          to="/orgs/$org/projects/$project/new-run"
          params={scope}
          search={{ what: 'function', function: name }}
        >
          <Play size={14} aria-hidden /> New run
        </Link>
      )}
      {may('admin') && <ActionMenu label={`Actions for ${name}`} actions={[removal]} />}
    </>
  );
}

function Runs({ scope, name }: { scope: Scope; name: string }) {
  const client = useQueryClient();
  const path = scoped(scope, `/runs${query({ workflow: name, limit: RUNS })}`);
  const queryKey = ['function-runs', path];
  const list = useQuery({ queryKey, queryFn: ({ signal }) => json<ListRuns200>(path, { signal }) });
  useLive(scope, 'runs', () => void readAgain(client, queryKey));
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!list.data) return <Loading />;
  const runs = list.data.runs.filter(({ kind }) => kind === 'function');
  if (runs.length === 0) return <Empty icon={Play} title="No runs yet" />;
  return (
    <>
      <RunTable scope={scope} runs={runs} columns={SHOWN} />
      {list.data.next_cursor !== undefined && (
        <p className="list-more">
          <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ workflow: name }}>
            All runs of {visible(name)}
          </Link>
        </p>
      )}
    </>
  );
}

const SHOWN: ReadonlySet<'Status detail' | 'Duration' | 'Age'> = new Set(['Status detail', 'Duration', 'Age']);

/** What nobody serves, with the oldest runs that wait for it. */
const WaitingPanel = ({ scope, of: { name, waiting } }: { scope: Scope; of: FunctionDetails }) => (
  <Panel title="Waiting for a worker" flush>
    <ul className="mini function-waiting">
      {waiting.map(({ version, runs, oldest }) => (
        <li key={version ?? ''}>
          <StatusIcon of="waiting" />
          <div>
            <p>
              <span>
                {waitingWords(runs)} for {version === undefined ? 'any version' : <code>{visible(version)}</code>}
              </span>
            </p>
            <p className="quiet">
              {oldest.map((run_id) => (
                <RunLink key={run_id} scope={scope} run_id={run_id} />
              ))}
              {runs > oldest.length && ` and ${runs - oldest.length} more`}
            </p>
          </div>
        </li>
      ))}
    </ul>
    <p className="mini-note quiet">
      No connected worker serves {waiting.some(({ version }) => version !== undefined) ? 'this version' : visible(name)}
      . Start one with <code>svc worker</code>, or cancel the runs.
    </p>
  </Panel>
);

const VersionsPanel = ({ of: { registrations, versions } }: { of: FunctionDetails }) => (
  <Panel title="Versions" flush>
    <ul className="mini function-versions">
      {registrations.map((one) => (
        <VersionRow key={one.version} of={one} />
      ))}
    </ul>
    <p className="mini-note quiet">
      {versions === 'pinned'
        ? 'Pinned: an open run continues only with the version that it started with.'
        : 'Replay: an open run continues with any version, and its recorded calls are checked.'}
    </p>
  </Panel>
);

const VersionRow = ({ of }: { of: FunctionView }) => (
  <li>
    <StatusIcon of={of.workers.length > 0 ? 'online' : of.waiting > 0 ? 'waiting' : 'skipped'} />
    <div>
      <p>
        <code>{visible(of.version)}</code>
        {of.current && <span className="tag">current</span>}
      </p>
      <p className="quiet">
        {of.workers.length === 0 ? 'No worker' : of.workers.map(visible).join(', ')} · since{' '}
        <Time at={of.registered_at} />
      </p>
    </div>
  </li>
);

const InputPanel = ({ of: { input } }: { of: FunctionDetails }) => (
  <Panel title="Input">{input === undefined ? <p className="quiet">Any JSON</p> : <InputList schema={input} />}</Panel>
);

const DefinitionPanel = ({ of: { timeout, concurrency, versions } }: { of: FunctionDetails }) => (
  <Panel title="Definition">
    <dl>
      <Fact name="Timeout">{timeout === undefined ? 'None' : visible(timeout)}</Fact>
      <Fact name="Concurrency">
        {concurrency === undefined ? "Limited only by the worker's slots" : describeConcurrency(concurrency)}
      </Fact>
      <Fact name="Versions">
        <Name>{versions}</Name>
      </Fact>
    </dl>
  </Panel>
);
