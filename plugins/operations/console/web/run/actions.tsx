import { RotateCw } from 'lucide-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { RunRecord, SubmittedRun } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Confirm } from '../kit/confirm.tsx';
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
      <Confirm label="Cancel run" title="Cancel this run?" verb="Cancel run" danger run={cancel}>
        Completed steps are not undone. <code>svc cancel {run.run_id}</code> does the same.
      </Confirm>
    );
  return (
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
      <code>svc rerun {run.run_id} --all</code> does the same. The button next to a step reruns from that step and keeps
      the earlier steps.
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
