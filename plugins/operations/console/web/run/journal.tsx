import { useVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useCallback, useImperativeHandle, useRef, useState } from 'react';
import { nodeLabel } from '../../../run-views/explain/node-label.ts';
import { readStepTimes } from '../../../run-views/explain/step-times.ts';
import type { NodeRecord, RunRecord, StepRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { plain } from '../kit/ansi.ts';
import { Empty, Status } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { bytesOf, pretty, span, visible } from '../kit/text.ts';
import { useRerun } from './actions.tsx';
import { RunLink } from './facts.tsx';
import { RunningFor, RunningIn, runningOf } from './running.tsx';
import { type AnyStep, OPEN } from './steps.ts';
import { isNode, keyOf } from './keys.ts';
import './journal.css';

export interface JournalHandle {
  /** Brings the step of this key into view, opened. */
  show(key: string): void;
}

const ROW_PX = 34;

interface Props {
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
  ref: Ref<JournalHandle>;
}

/** Everything that was recorded, in order. Rows open for their outputs. */
export function Journal({ scope, run, steps, ref }: Props) {
  const pane = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // The same until there are other steps: upon another one all rows are measured anew.
  const getItemKey = useCallback((index: number) => keyOf(steps[index]!), [steps]);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => pane.current,
    getItemKey,
    estimateSize: () => ROW_PX,
    overscan: 15,
  });
  const toggle = (key: string, wanted?: boolean) => {
    const next = new Set(open);
    if (wanted ?? !next.has(key)) next.add(key);
    else next.delete(key);
    setOpen(next);
  };
  useImperativeHandle(ref, () => ({
    show(key) {
      const index = steps.findIndex((step) => keyOf(step) === key);
      if (index < 0) return;
      toggle(key, true);
      rows.scrollToIndex(index, { align: 'start' });
      pane.current?.scrollIntoView({ block: 'nearest' });
    },
  }));
  if (steps.length === 0) return <Empty>No durable calls yet.</Empty>;
  return (
    <div ref={pane} className="journal">
      <ol style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <li key={key} ref={rows.measureElement} data-index={index} style={{ transform: `translateY(${start}px)` }}>
            <Step
              scope={scope}
              run={run}
              step={steps[index]!}
              open={open.has(String(key))}
              onToggle={() => toggle(String(key))}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface StepProps {
  scope: Scope;
  run: RunRecord;
  step: AnyStep;
  open: boolean;
  onToggle(): void;
}

function Step({ scope, run, step, open, onToggle }: StepProps) {
  const may = useMay(scope);
  // With its verb: calls of several verbs may have one site.
  const site = isNode(step) ? nodeLabel(step) : `${jobOf(run, step)}${step.kind} ${step.site}`;
  const canRerun = !OPEN.includes(run.status) && may('member') && (!isNode(step) || step.item === undefined);
  return (
    <>
      <button type="button" className="step" aria-expanded={open} onClick={onToggle}>
        <span className="quiet kind">{isNode(step) ? step.type : step.kind}</span>
        <span className="step-name">{visible(nameOf(step))}</span>
        <span className="clip quiet">{visible(firstLine(step))}</span>
        <Outcome step={step} />
      </button>
      {open && (
        <div className="step-open">
          <Output step={step} />
          {!isNode(step) && step.run && (
            <p>
              Run <RunLink scope={scope} run_id={step.run.run_id} /> <Status of={step.run.status} />
            </p>
          )}
          {canRerun && <RerunFrom scope={scope} run_id={run.run_id} site={site} />}
        </div>
      )}
    </>
  );
}

/** The site of a script that is a job of its run stands behind the job. */
const jobOf = ({ kind }: RunRecord, { activity }: StepRecord): string => (kind === 'script' ? '' : `${activity}/`);

function nameOf(step: AnyStep): string {
  if (isNode(step)) return keyOf(step);
  return step.label ?? (step.ordinal > 0 ? step.site : step.name);
}

interface RerunProps {
  scope: Scope;
  run_id: string;
  site: string;
  label?: string;
}

export function RerunFrom({ scope, run_id, site, label = 'Rerun from here' }: RerunProps) {
  const rerun = useRerun(scope, run_id);
  return (
    <Confirm label={label} title={`Rerun from ${visible(site)}?`} verb="Rerun" run={() => rerun(site)}>
      A new run starts here. Everything recorded before this point is kept and does not run again.{' '}
      <code>
        svc rerun {run_id} --from {visible(site)}
      </code>{' '}
      does the same.
    </Confirm>
  );
}

function Outcome({ step }: { step: AnyStep }) {
  if (isNode(step)) return <NodeOutcome node={step} />;
  const tried = step.attempts && (
    <span className="quiet">
      attempt {step.attempts.length + 1} of {step.max_attempts}
    </span>
  );
  if (step.status !== 'recorded') {
    const running = runningOf(step);
    return (
      <span className="outcome">
        {running?.attempt === undefined && tried}
        {running && <RunningFor of={running} />}
        <Status of={step.status === 'waiting' ? 'waiting' : 'running'} />
      </span>
    );
  }
  const failed = step.exit_code !== undefined && step.exit_code !== 0;
  const { from, to } = readStepTimes(step);
  return (
    <span className="outcome">
      {tried}
      <span className="quiet">{spent(from, to)}</span>
      <Status of={failed ? 'failed' : 'recorded'} />
    </span>
  );
}

const NodeOutcome = ({ node }: { node: NodeRecord }) => (
  <span className="outcome">
    {node.attempt > 1 && <span className="quiet">attempt {node.attempt}</span>}
    {node.kept && <span className="quiet">kept</span>}
    <RunningIn activity={node.activity} />
    <span className="quiet">{spent(node.started_at, node.finished_at)}</span>
    <Status of={node.substate ? 'waiting' : node.state} />
  </span>
);

const spent = (from: string | undefined, to: string | undefined): string =>
  from && to ? span(Date.parse(to) - Date.parse(from)) : '';

type FailedAttempt = NonNullable<StepRecord['attempts']>[number];

/** One that failed before the last one. */
function Attempt({ of }: { of: FailedAttempt }) {
  const text = textOf(of);
  return (
    <>
      <p className="quiet">
        Attempt {of.attempt}: exit code {of.exit_code} after {spent(of.started_at, of.ended_at)}, next at {of.next_at}
      </p>
      {text !== '' && <pre>{visible(plain(text))}</pre>}
    </>
  );
}

function textOf(step: Pick<StepRecord, 'message' | 'stdout' | 'stdout_base64'>): string {
  if (step.message) return step.message;
  if (step.stdout_base64 !== undefined) return `${bytesOf(step.stdout_base64).length} bytes of binary data`;
  return step.stdout ?? '';
}

function firstLine(step: AnyStep): string {
  if (isNode(step)) return step.error?.message.split('\n', 1)[0] ?? '';
  return plain(textOf(step).split('\n', 1)[0]!).slice(0, 200);
}

function Output({ step }: { step: AnyStep }) {
  if (!isNode(step)) {
    const text = textOf(step);
    const code = step.exit_code ? <p className="bad">Exit code {step.exit_code}</p> : null;
    const wait = step.deadline && <p className="quiet">Until {step.deadline}</p>;
    return (
      <>
        {step.attempts?.map((attempt) => (
          <Attempt key={attempt.attempt} of={attempt} />
        ))}
        {code}
        {wait}
        {text === '' ? <p className="quiet">No output.</p> : <pre>{visible(plain(text))}</pre>}
      </>
    );
  }
  return (
    <>
      {step.items && (
        <p className="quiet">
          {step.items.ended} of {step.items.total} items ended, {step.items.failed} failed
        </p>
      )}
      {step.error && <pre className="bad">{`${step.error.code}\n${visible(step.error.message)}`}</pre>}
      {step.output !== undefined && <pre>{visible(pretty(step.output))}</pre>}
      {!step.error && step.output === undefined && <p className="quiet">No output yet.</p>}
    </>
  );
}
