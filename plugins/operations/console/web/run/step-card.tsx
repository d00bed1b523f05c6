import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { nodeLabel } from '../../../run-views/explain/node-label.ts';
import { readStepTimes } from '../../../run-views/explain/step-times.ts';
import type { NodeRecord, RunRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { plain } from '../kit/ansi.ts';
import { Copy, Status, StatusIcon, Time } from '../kit/basics.tsx';
import { JsonText } from '../kit/json-text.tsx';
import { pretty, span, visible } from '../kit/text.ts';
import { RunLink } from './facts.tsx';
import type { FollowedLog } from './follow-log.ts';
import { RerunFrom } from './journal.tsx';
import { isNode } from './keys.ts';
import { Lines } from './log.tsx';
import { RunningFor, RunningIn, runningOf } from './running.tsx';
import { attemptText, outputText } from './step-text.ts';
import { type AnyStep, OPEN } from './steps.ts';
import { useStepLog } from './use-step-log.ts';

interface Props {
  scope: Scope;
  run: RunRecord;
  step: AnyStep;
  log: FollowedLog | undefined;
}

/** The step that is looked at: its attempts, what it gave, and what was printed meanwhile. */
export function StepCard({ scope, run, step, log }: Props) {
  const may = useMay(scope);
  const node = isNode(step);
  const canRerun = !OPEN.includes(run.status) && may('member') && (!node || step.item === undefined);
  // With its verb: calls of several verbs may have one site.
  const site = node ? nodeLabel(step) : `${run.kind === 'script' ? '' : `${step.activity}/`}${step.kind} ${step.site}`;
  const state = stateOf(step);
  const retries = node ? Math.max(0, step.attempt - 1) : (step.attempts?.length ?? 0);
  return (
    <section className="panel flush step-card" aria-label={`Step ${visible(nameOf(step))}`}>
      <div className="panel-head">
        <StatusIcon of={state} />
        <h2 className="clip">{visible(nameOf(step))}</h2>
        <span className="quiet small-text">{node ? step.type : step.kind}</span>
        {retries > 0 && <Status of="retried">{retries === 1 ? '1 retry' : `${retries} retries`}</Status>}
        {canRerun && (
          <span className="push">
            <RerunFrom scope={scope} run_id={run.run_id} site={site} />
          </span>
        )}
      </div>
      <Now step={step} />
      {node ? <NodeParts scope={scope} node={step} /> : <StepParts scope={scope} step={step} />}
      {log && !node && <StepLog step={step} log={log} />}
    </section>
  );
}

function stateOf(step: AnyStep): string {
  if (isNode(step))
    return step.kept ? 'reused' : step.substate ? 'waiting' : step.state === 'waiting' ? 'queued' : step.state;
  if (step.status !== 'recorded') return step.status;
  return step.exit_code !== undefined && step.exit_code !== 0 ? 'failed' : 'succeeded';
}

function nameOf(step: AnyStep): string {
  if (isNode(step)) return nodeLabel(step);
  return step.label ?? (step.ordinal > 0 ? step.site : step.name || step.kind);
}

function Now({ step }: { step: AnyStep }) {
  if (isNode(step))
    return step.activity?.running ? (
      <p className="step-now">
        <RunningIn activity={step.activity} />
      </p>
    ) : null;
  const running = step.status === 'recorded' ? undefined : runningOf(step);
  return running ? (
    <p className="step-now">
      <RunningFor of={running} />
    </p>
  ) : null;
}

interface PartProps {
  title: string;
  aside?: ReactNode;
  open?: boolean;
  children: ReactNode;
}

const Part = ({ title, aside, open = true, children }: PartProps) => (
  <details className="sect" open={open}>
    <summary>
      {title}
      {aside && <span className="push quiet">{aside}</span>}
    </summary>
    <div className="in">{children}</div>
  </details>
);

function StepParts({ scope, step }: { scope: Scope; step: StepRecord }) {
  const text = plain(outputText(step));
  const times = readStepTimes(step);
  const whole = times.to ? span(Date.parse(times.to) - Date.parse(times.from)) : undefined;
  return (
    <>
      {step.attempts && (
        <Part title="Attempts" aside={whole && `${whole} including pauses`}>
          {step.attempts.map((attempt) => (
            <div key={attempt.attempt} className="att">
              <StatusIcon of="retried" />
              <span>Attempt {attempt.attempt}</span>
              <span className="bad att-why">{visible(plain(attemptText(attempt)))}</span>
              <span className="quiet num">{span(Date.parse(attempt.ended_at) - Date.parse(attempt.started_at))}</span>
            </div>
          ))}
          <p className="quiet small-text">
            Attempt {step.attempts.length + 1} of {step.max_attempts}
            {step.status !== 'recorded' && step.deadline && (
              <>
                {' '}
                · next <Time at={step.deadline} />
              </>
            )}
          </p>
        </Part>
      )}
      {step.status === 'recorded' ? (
        <Part title={step.exit_code ? `Output · exit code ${step.exit_code}` : 'Output'} aside={<Size text={text} />}>
          {step.message && <p className="bad">{visible(plain(step.message))}</p>}
          {text === '' ? <p className="quiet">No output.</p> : <Value text={text} />}
        </Part>
      ) : (
        !step.attempts && (
          <Part title={step.deadline ? 'Waits' : 'Output'}>
            <p className="quiet">
              {step.deadline ? (
                <>
                  {step.kind === 'sleep' ? 'Wakes' : 'Times out'} <Time at={step.deadline} />
                </>
              ) : (
                'Nothing is recorded yet.'
              )}
            </p>
          </Part>
        )
      )}
      {step.run && (
        <Part title="Called run">
          <p className="row">
            <Status of={step.run.status} /> <RunLink scope={scope} run_id={step.run.run_id} />
          </p>
        </Part>
      )}
    </>
  );
}

function NodeParts({ scope, node }: { scope: Scope; node: NodeRecord }) {
  return (
    <>
      {node.error && (
        <Part title={`Error · ${node.error.code}`}>
          <JsonText text={plain(node.error.message)} />
        </Part>
      )}
      {node.items && (
        <Part title="Items">
          <p className="quiet">
            {node.items.ended} of {node.items.total} ended, {node.items.failed} failed
          </p>
        </Part>
      )}
      {node.output !== undefined && (
        <Part title="Output" aside={<Size text={pretty(node.output)} />}>
          <Value text={pretty(node.output)} />
        </Part>
      )}
      {node.substate?.run_id && (
        <Part title="Called run">
          <p>
            <RunLink scope={scope} run_id={node.substate.run_id} />
          </p>
        </Part>
      )}
    </>
  );
}

const Size = ({ text }: { text: string }) =>
  text === '' ? null : <>{new TextEncoder().encode(text).length.toLocaleString('en')} B</>;

const Value = ({ text }: { text: string }) => (
  <div className="value-well">
    <JsonText text={text} />
    <Copy text={text} label="Copy the output" />
  </div>
);

const SHOWN = 200;

/** What was printed from the beginning of the step to its end. */
function StepLog({ step, log }: { step: StepRecord; log: FollowedLog }) {
  const { lines, first } = useStepLog(step, log);
  if (lines.length === 0) return null;
  return (
    <details className="sect" open>
      <summary>
        Log
        <span className="push quiet">
          {lines.length} of {(log.log.lines.length + log.log.dropped).toLocaleString('en')} lines
        </span>
      </summary>
      <Lines lines={lines.slice(0, SHOWN)} version={log.version} wrap={false} times={false} first={first} still />
      <p className="in">
        <Link from="/orgs/$org/projects/$project/runs/$run" to="." search={{ tab: 'log', line: first }}>
          Open in the run log
        </Link>
      </p>
    </details>
  );
}
