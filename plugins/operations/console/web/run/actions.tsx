import { Pause, PencilLine, Play, RotateCw } from 'lucide-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { RunRecord, SubmittedRun } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { RerunWithInput } from './rerun-input.tsx';
import { OPEN } from './steps.ts';

/** The new run's page follows a rerun. */
export function useRerun(scope: Scope, run_id: string) {
  const navigate = useNavigate();
  return async (from?: string) => {
    const path = scoped(scope, `/runs/${encodeURIComponent(run_id)}/rerun`);
    const made = await json<SubmittedRun>(path, {
      method: 'POST',
      body: from === undefined ? { all: true } : { from },
    });
    await navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: made.run_id } });
  };
}

export function RunActions({ scope, run }: { scope: Scope; run: RunRecord }) {
  const may = useMay(scope);
  const rerun = useRerun(scope, run.run_id);
  if (!may('member')) return null;
  const cancel = () =>
    json(scoped(scope, `/runs/${encodeURIComponent(run.run_id)}/cancel`), { method: 'POST', body: {} });
  if (OPEN.includes(run.status))
    return (
      <>
        <PauseAction scope={scope} run={run} />
        <Confirm label="Cancel run" title="Cancel this run?" verb="Cancel run" danger run={cancel}>
          Completed steps are not undone. <code>svc cancel {run.run_id}</code> does the same.
        </Confirm>
      </>
    );
  return (
    <>
      <Confirm
        label={
          <>
            <RotateCw size={14} aria-hidden /> Rerun
          </>
        }
        title="Rerun this run?"
        verb="Rerun"
        run={() => rerun()}
      >
        A new run of the same workflow starts from the beginning with the same input.{' '}
        <code>svc rerun {run.run_id} --all</code> does the same. The button next to a step reruns from that step and
        keeps the earlier steps.
      </Confirm>
      <ActionMenu
        label="More ways to rerun"
        actions={[
          {
            icon: PencilLine,
            label: 'Rerun with another input…',
            opens: (close) => <RerunWithInput scope={scope} run={run} close={close} />,
          },
        ]}
      />
    </>
  );
}

/** Pauses an open run, or resumes a paused one. */
function PauseAction({ scope, run }: { scope: Scope; run: RunRecord }) {
  const verb = run.paused ? 'resume' : 'pause';
  const change = () =>
    json(scoped(scope, `/runs/${encodeURIComponent(run.run_id)}/${verb}`), {
      method: 'POST',
      ...(verb === 'pause' && { body: {} }),
    });
  if (run.paused)
    return (
      <Confirm
        label={
          <>
            <Play size={14} aria-hidden /> Resume
          </>
        }
        title="Resume this run?"
        verb="Resume"
        run={change}
      >
        The run continues where it was paused, and so do the runs that were paused with it.{' '}
        <code>svc resume {run.run_id}</code> does the same.
      </Confirm>
    );
  return (
    <Confirm
      label={
        <>
          <Pause size={14} aria-hidden /> Pause
        </>
      }
      title="Pause this run?"
      verb="Pause"
      run={change}
    >
      Nothing new starts until you resume the run. Work in progress finishes and is recorded. Timers and the deadline
      continue, and incoming signals are recorded. The runs that this run has called are paused too.{' '}
      <code>svc pause {run.run_id}</code> does the same.
    </Confirm>
  );
}

interface CompareProps {
  scope: Scope;
  a: string;
  b?: string;
  className?: string;
  children: string;
}

/** To the page that shows two runs beside each other; without `b` it offers others to choose from. */
export const CompareLink = ({ scope, a, b, className, children }: CompareProps) => (
  <Link
    to="/orgs/$org/projects/$project/runs/compare"
    params={scope}
    search={b === undefined ? { a } : { a, b }}
    {...(className !== undefined && { className })}
  >
    {children}
  </Link>
);
