import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, Loading, Time } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { Histogram } from './bars.tsx';
import { groupsOf } from './figures.ts';

const SHOWN = 5;

interface Props {
  scope: Scope;
  summary: Summary;
  /** Undefined until they are read. */
  failed: readonly RunRecord[] | undefined;
}

/** Runs that failed, by what went wrong. */
export function Failures({ scope, summary, failed }: Props) {
  const groups = failed && groupsOf(failed, Date.parse(summary.since), Date.parse(summary.at));
  const all = summary.runs.failed;
  return (
    <Panel
      title="Failures by error"
      flush
      aside={
        all > 0 && (
          <Link
            className="push small-text"
            to="/orgs/$org/projects/$project/runs"
            params={scope}
            search={{ status: 'failed', since: summary.window }}
          >
            {all === 1 ? 'The failed run' : `All ${all.toLocaleString('en')} failed runs`}
          </Link>
        )
      }
    >
      {!groups && all > 0 && <Loading />}
      {groups?.length === 0 || all === 0 ? (
        <Empty icon={CircleCheck} title="Nothing failed" />
      ) : (
        <ul className="groups">
          {groups?.slice(0, SHOWN).map(({ title, where, count, run, histogram }) => (
            <li key={`${title} ${where}`}>
              <Link
                className="what clip"
                to="/orgs/$org/projects/$project/runs/$run"
                params={{ ...scope, run: run.run_id }}
                title={visible(title)}
              >
                {visible(title)}
              </Link>
              <div className="meta clip">
                {where && `${visible(where)} in `}
                {visible(run.workflow)} · {run.finished_at && <Time at={run.finished_at} />}
              </div>
              <Histogram values={histogram} />
              <span className="n">{count}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
