import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Scope } from '../api/paths.ts';
import { Name, Time } from '../kit/basics.tsx';

interface Props {
  scope: Scope;
  run_id: string;
  workflow: string;
  at: string | undefined;
  children: ReactNode;
}

export const RunLine = ({ scope, run_id, workflow, at, children }: Props) => (
  <li>
    <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }}>
      <Name>{workflow}</Name>
    </Link>{' '}
    <span className="quiet">{at && <Time at={at} />}</span>
    <div className="quiet clip">{children}</div>
  </li>
);
