import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Panels } from '../extensions/panels.tsx';
import { Loading, Problem, StatusIcon } from '../kit/basics.tsx';
import { JsonText } from '../kit/json-text.tsx';
import { Panel, useTitle } from '../kit/page.tsx';
import { stateWord } from '../kit/state.ts';
import { pretty } from '../kit/text.ts';
import { useMatrix } from '../pipelines/use-matrix.ts';
import { Asks } from './asks.tsx';
import { type FollowedLog, useLog } from './follow-log.ts';
import { RunHead } from './head.tsx';
import { isNode, keyOf } from './keys.ts';
import { Log } from './log.tsx';
import { notesOf } from './ask.ts';
import { StateCard } from './state-card.tsx';
import { StepCard } from './step-card.tsx';
import type { AnyStep } from './steps.ts';
import { RunTabContent, RunTabs } from './tabs.tsx';
import { Timeline } from './timeline.tsx';
import { useRun } from './use-run.ts';
import { DeterminismViolation } from './violation.tsx';
import '../kit/detail.css';
import './run.css';

const Markdown = lazy(() => import('../kit/markdown.tsx'));
const RunGraph = lazy(() => import('../graphs/run/run-graph.tsx'));
const RunJobs = lazy(() => import('../pipelines/run-jobs.tsx'));
const DRAWN = ['graph', 'node'];
const FROM = '/orgs/$org/projects/$project/runs/$run';

export function Run() {
  const { org, project, run: run_id } = useParams({ from: FROM });
  const scope = { org, project };
  const { record, steps, path } = useRun(scope, run_id);
  useTitle(record.data ? `${record.data.workflow} ${run_id.slice(-6)}` : 'Run');
  if (record.error)
    return (
      <div className="content">
        <Problem error={record.error} again={() => void record.refetch()} />
      </div>
    );
  if (!record.data) return <Loading />;
  return (
    <RunPage
      key={run_id}
      scope={scope}
      run={record.data}
      path={path}
      steps={steps.data?.steps ?? NONE}
      error={steps.error}
      again={() => void steps.refetch()}
    />
  );
}

const NONE: readonly AnyStep[] = [];

interface Props {
  scope: Scope;
  run: RunRecord;
  path: string;
  steps: readonly AnyStep[];
  error: Error | null;
  again(): void;
}

function RunPage({ scope, run, path, steps, error, again }: Props) {
  const { tab = 'steps', line } = useSearch({ from: FROM });
  // The jobs of a pipeline follow its log by themselves, each its own part.
  const log = useLog(run.kind === 'pipeline' && tab !== 'log' ? undefined : `${path}/logs`);
  const lines = log.log.lines.length + log.log.dropped;
  const own = steps.filter((step) => !isNode(step) || step.item === undefined);
  return (
    <>
      <div className="stick">
        <RunHead scope={scope} run={run} />
        <RunTabs scope={scope} run={run} tab={tab} steps={own.length} lines={lines} />
      </div>
      {tab === 'steps' && (
        <>
          {error && <Problem error={error} again={again} />}
          <Steps scope={scope} run={run} steps={steps} pending={steps === NONE && !error} log={log} />
        </>
      )}
      {tab === 'log' && (
        <div className="run-tab whole">
          <Log log={log} name={`${run.workflow}-${run.run_id.slice(-6)}`} at={line} />
        </div>
      )}
      {tab !== 'steps' && tab !== 'log' && (
        <div className="run-tab">
          <RunTabContent scope={scope} run={run} steps={steps} tab={tab} />
        </div>
      )}
    </>
  );
}

interface StepsProps {
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
  /** They are still read. */
  pending: boolean;
  log: FollowedLog;
}

/** At the left everything in its time; at the right what the run wants, and the step that is looked at. */
function Steps({ scope, run, steps: nodes, pending, log }: StepsProps) {
  const cells = useMatrix(scope, run, nodes);
  const steps = useMemo(() => (cells.length === 0 ? nodes : [...nodes, ...cells]), [nodes, cells]);
  const { step, job } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const pipeline = run.kind === 'pipeline';
  const shown = steps.find((one) => keyOf(one) === step) ?? (pipeline ? undefined : standsAt(steps));
  const drawn = DRAWN.includes(run.kind);
  const node = drawn && shown && isNode(shown) ? shown.node : undefined;
  const chooseNode = (next: string | undefined) =>
    void navigate({ search: next === undefined ? {} : { step: next }, replace: true, resetScroll: false });
  const choose = (key: string) => {
    const of = pipeline ? steps.filter(isNode).find((one) => keyOf(one) === key)?.node : undefined;
    void navigate({
      search: (before) => ({ ...before, step: key, ...(of !== undefined && { job: of }) }),
      replace: true,
      resetScroll: false,
    });
  };
  const chooseJob = (next: string | undefined, cell?: number) =>
    void navigate({
      search: next === undefined ? {} : { job: next, ...(cell !== undefined && { step: `${next}[${cell}]` }) },
      replace: true,
      resetScroll: false,
    });
  const jobs = (part: 'graph' | 'job') => (
    <Suspense fallback={<Loading />}>
      <RunJobs
        part={part}
        scope={scope}
        run={run}
        steps={steps}
        chosen={job}
        item={itemOf(step)}
        onChoose={chooseJob}
      />
    </Suspense>
  );
  return (
    <div className="split">
      <div className="left">
        {drawn && (
          <Suspense fallback={<Loading />}>
            <RunGraph part="canvas" scope={scope} run={run} steps={steps} selected={node} onSelect={chooseNode} />
          </Suspense>
        )}
        {pipeline && jobs('graph')}
        {pending ? <Loading /> : <Timeline run={run} steps={steps} chosen={shown && keyOf(shown)} onChoose={choose} />}
        <Legend />
      </div>
      <div className="right">
        <StateCard scope={scope} run={run} steps={steps} />
        <Asks scope={scope} run={run} steps={steps} />
        <DeterminismViolation run={run} />
        <Output run={run} />
        {pipeline
          ? jobs('job')
          : !drawn && shown && <StepCard key={keyOf(shown)} scope={scope} run={run} step={shown} log={log} />}
        {drawn && (
          <Suspense fallback={<Loading />}>
            <RunGraph part="node" scope={scope} run={run} steps={steps} selected={node} onSelect={chooseNode} />
          </Suspense>
        )}
        <Notes run={run} />
        <Panels scope={scope} place="run" of={{ run: run.run_id }} />
      </div>
    </div>
  );
}

/** `1` of `test[1]`. */
function itemOf(step: string | undefined): number | undefined {
  const [, item] = /\[(\d+)\]$/.exec(step ?? '') ?? [];
  return item === undefined ? undefined : Number(item);
}

/** What one looks at first: the step that failed, or that goes on, or the last one. */
function standsAt(steps: readonly AnyStep[]): AnyStep | undefined {
  const failed = steps.findLast((step) =>
    isNode(step) ? step.state === 'failed' : step.exit_code !== undefined && step.exit_code !== 0,
  );
  const open = steps.findLast((step) =>
    isNode(step) ? step.state === 'running' || step.state === 'backoff' : step.status !== 'recorded',
  );
  return open ?? failed ?? steps.findLast((step) => !isNode(step) || step.state !== 'waiting');
}

const STATES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'retried', 'reused'];

const Legend = () => (
  <div className="legend-states" aria-hidden>
    {STATES.map((state) => (
      <span key={state}>
        <StatusIcon of={state} size="s" silent /> {stateWord(state)}
      </span>
    ))}
    <span className="push">
      <kbd>J</kbd>
      <kbd>K</kbd> step
    </span>
  </div>
);

/** What the workflow gave. */
function Output({ run: { output } }: { run: RunRecord }) {
  if (output === undefined || output === null || pretty(output) === '{}') return null;
  return (
    <Panel title="Output">
      <JsonText text={pretty(output)} />
    </Panel>
  );
}

/** What the run noted about itself, without the question that stands above already. */
function Notes({ run }: { run: RunRecord }) {
  const texts = notesOf(run);
  if (texts.length === 0) return null;
  return (
    <Panel title="Notes">
      <Suspense fallback={<p className="quiet">…</p>}>
        {texts.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notes are only added
          <Markdown key={index} text={text} />
        ))}
      </Suspense>
    </Panel>
  );
}
