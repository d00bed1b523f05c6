import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import type { RunDocument, RunInput, RunRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import { ChainPanel } from '../chain/chain.tsx';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Copy, Empty, Loading, Name, Problem } from '../kit/basics.tsx';
import { JsonText } from '../kit/json-text.tsx';
import { Table } from '../kit/list.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { Source } from '../kit/source.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { count, pretty, shellQuote } from '../kit/text.ts';
import type { RunTab } from './address.ts';
import { Facts } from './facts.tsx';
import { isNode } from './keys.ts';
import { lineOf } from './source-lines.ts';
import { type AnyStep, OPEN } from './steps.ts';
import { runPath } from './use-run.ts';

const Artifacts = lazy(() => import('../pipelines/artifacts.tsx'));

interface TabsProps {
  scope: Scope;
  run: RunRecord;
  tab: RunTab;
  steps: number;
  lines: number;
}

const STEPS: Record<string, string> = { pipeline: 'Jobs', graph: 'Graph', node: 'Graph' };

export function RunTabs({ scope, run, tab, steps, lines }: TabsProps) {
  const names: [RunTab, string, number?][] = [
    ['steps', STEPS[run.kind] ?? 'Steps', steps],
    ['log', 'Log', lines],
    ['input', 'Input'],
    ['source', 'Source'],
    ['lineage', 'Lineage'],
    ['artifacts', 'Artifacts'],
  ];
  if (run.trace_id) names.push(['trace', 'Trace']);
  const params = { ...scope, run: run.run_id };
  return (
    <Tabs label="About the run">
      {names.map(([name, label, n]) => (
        <RunTabLink key={name} params={params} name={name} tab={tab}>
          {label} {n !== undefined && n > 0 && <span className="n">{count(n)}</span>}
        </RunTabLink>
      ))}
      <Link to="/orgs/$org/projects/$project/runs/compare" params={scope} search={{ a: run.run_id }}>
        Compare
      </Link>
      <RunTabLink params={params} name="cli" tab={tab}>
        CLI
      </RunTabLink>
    </Tabs>
  );
}

interface LinkProps {
  params: Scope & { run: string };
  name: RunTab;
  tab: RunTab;
  children: ReactNode;
}

const RunTabLink = ({ params, name, tab, children }: LinkProps) => (
  <Link
    to="/orgs/$org/projects/$project/runs/$run"
    params={params}
    search={name === 'steps' ? {} : { tab: name }}
    activeOptions={{ exact: true }}
    activeProps={{ className: '' }}
    className={name === tab ? 'active' : ''}
    aria-current={name === tab ? 'page' : undefined}
  >
    {children}
  </Link>
);

interface TabProps {
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
}

/** What a tab shows; the steps and the log are drawn by the page itself. */
export function RunTabContent({ scope, run, steps, tab }: TabProps & { tab: Exclude<RunTab, 'steps' | 'log'> }) {
  switch (tab) {
    case 'input':
      return <Input scope={scope} run={run} />;
    case 'source':
      return <SourceTab scope={scope} run={run} steps={steps} />;
    case 'lineage':
      return <ChainPanel scope={scope} kind="runs" id={run.run_id} />;
    case 'artifacts':
      return (
        <Suspense fallback={<Loading />}>
          <Artifacts scope={scope} run_id={run.run_id} open={OPEN.includes(run.status)} />
        </Suspense>
      );
    case 'trace':
      return <Trace run={run} />;
    case 'cli':
      return <Commands scope={scope} run={run} />;
  }
}

function Input({ scope, run }: { scope: Scope; run: RunRecord }) {
  const path = `${runPath(scope, run.run_id)}/input`;
  const read = useQuery({
    queryKey: ['run-input', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunInput>(path, { signal }),
  });
  const given = read.data?.envelope;
  return (
    <>
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {given && (
        <Panel
          title="Input"
          aside={<Copy text={pretty(given.input ?? given.payload ?? null)} label="Copy the input" />}
        >
          {(given.input ?? given.payload) == null ? (
            <p className="quiet">This run has no input.</p>
          ) : (
            <JsonText text={pretty(given.input ?? given.payload)} />
          )}
        </Panel>
      )}
      {given && (
        <Panel title="Full envelope">
          <JsonText text={pretty(given)} />
        </Panel>
      )}
      <Panel title="Details">
        <Facts scope={scope} run={run} />
      </Panel>
    </>
  );
}

/** The call at which the run waits, or has failed. */
function stoppedAt(run: RunRecord, steps: readonly AnyStep[]): StepRecord | undefined {
  const calls = steps.filter((step): step is StepRecord => !isNode(step));
  if (run.status === 'failed') return calls.findLast(({ exit_code }) => exit_code !== undefined && exit_code !== 0);
  return OPEN.includes(run.status) ? calls.findLast(({ status }) => status !== 'recorded') : undefined;
}

/** What the run does at the line that is marked. */
const AT_LINE: Partial<Record<RunRecord['status'], string>> = {
  failed: 'failed at',
  waiting: 'waiting at',
  running: 'running',
};

/** A script without a file name, or without an ending, is one of bash. */
const namedFile = ({ kind }: RunRecord, filename = ''): string =>
  kind === 'script' && !filename.includes('.') ? 'script.sh' : filename;

function SourceTab({ scope, run, steps }: TabProps) {
  const path = runPath(scope, run.run_id);
  const read = useQuery({
    queryKey: ['run-document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunDocument>(`${path}/document`, { signal }),
  });
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  const { source, files = [], filename, stored } = read.data;
  const stopped = stoppedAt(run, steps);
  const line = stopped && lineOf(source, stopped);
  return (
    <>
      <Panel
        title={filename ?? stored?.name ?? run.workflow}
        aside={
          line !== undefined && (
            <span className="small-text quiet">
              {AT_LINE[run.status] ?? 'stopped at'} line {line}
            </span>
          )
        }
      >
        <Source
          text={source}
          filename={namedFile(run, filename)}
          {...(line !== undefined && { mark: line, markState: run.status })}
        />
        <Same by={{ command: `svc source ${run.run_id}`, call: `GET ${path}/document` }} />
      </Panel>
      {files.length > 0 && (
        <Panel title="Files included with the script">
          <Table columns={['File', 'Bytes', '-Digest']}>
            {files.map((file) => (
              <tr key={file.path}>
                <td className="word">
                  <Name>{file.path}</Name>
                  {file.executable && <span className="quiet"> executable</span>}
                </td>
                <td className="tight">{count(file.size)}</td>
                <td className="word quiet">{file.digest}</td>
              </tr>
            ))}
          </Table>
          <Same by={{ command: `svc source ${run.run_id} --files`, call: `GET ${path}/document` }} />
        </Panel>
      )}
    </>
  );
}

const Trace = ({ run: { trace_id, trace_url } }: { run: RunRecord }) =>
  trace_id === undefined ? (
    <Empty title="No trace">The server exports no traces.</Empty>
  ) : (
    <Panel title="Trace">
      <p className="row">
        <code>{trace_id}</code> <Copy text={trace_id} label="Copy the trace ID" />
        {trace_url && (
          <a className="button small" href={trace_url} target="_blank" rel="noreferrer">
            Open trace
          </a>
        )}
      </p>
    </Panel>
  );

function Commands({ scope, run }: { scope: Scope; run: RunRecord }) {
  const id = run.run_id;
  const path = runPath(scope, id);
  const open = OPEN.includes(run.status);
  const commands: [string, string][] = [
    ['Status', `svc status ${id}`],
    ['Why it is in this state', `svc explain ${id}`],
    ['Steps and outputs', `svc steps ${id} --output`],
    ['Log', `svc logs ${id}${open ? ' --follow' : ''}`],
    ['Source', `svc source ${id}`],
    ['Lineage', `svc runs chain ${id}`],
    ...(open
      ? [['Cancel', `svc cancel ${id}`] as [string, string]]
      : ([
          ['Rerun', `svc rerun ${id} --all`],
          ['Rerun with another input', `svc rerun ${id} --input '…'`],
        ] satisfies [string, string][])),
    ...(run.substate?.kind === 'signal'
      ? [['Answer', `svc signal ${id} ${shellQuote(run.substate.name)} --payload '…'`] as [string, string]]
      : []),
    ['API', `GET ${path}`],
  ];
  return (
    <Panel title="The same from a terminal" flush>
      <ul className="commands">
        {commands.map(([does, command]) => (
          <li key={does}>
            <span className="second">{does}</span>
            <code>{command}</code>
            <Copy text={command} label={`Copy: ${does}`} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
