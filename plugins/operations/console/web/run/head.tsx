import { Link } from '@tanstack/react-router';
import {
  Clock,
  FunctionSquare,
  Hourglass,
  Pause,
  RotateCw,
  Split,
  Tag as TagIcon,
  Target,
  TimerReset,
} from 'lucide-react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Copy, Name, Status, Tag, Time } from '../kit/basics.tsx';
import { visible } from '../kit/text.ts';
import { PausedPill, Took, RunsLink, StartedBy } from '../runs/table.tsx';
import { triggerOf } from '../runs/trigger.tsx';
import { RunActions } from './actions.tsx';
import { isApproval } from './ask.ts';
import { RunLink } from './facts.tsx';

/** What a run is, in three lines that stay at the top. */
export function RunHead({ scope, run }: { scope: Scope; run: RunRecord }) {
  const { icon: Icon } = triggerOf(run);
  const { paused } = run;
  return (
    <header className="detail-head page-head">
      <div className="title">
        <h1>
          <Name>{run.workflow}</Name>
          <Status of={run.status}>{statusWords(run)}</Status>
          {paused && <PausedPill />}
        </h1>
        {run.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        <div className="acts">
          <RunActions scope={scope} run={run} />
        </div>
      </div>
      <div className="facts">
        <span>
          <code>{run.run_id}</code>
          <Copy text={run.run_id} label="Copy the run ID" />
        </span>
        <span>
          <Clock size={14} aria-hidden />
          {run.started_at ? 'Started ' : 'Created '}
          <Time at={run.started_at ?? run.created_at} />
        </span>
        {paused && (
          <span>
            <Pause size={14} aria-hidden />
            <span>
              Paused <Time at={paused.at} />
              {paused.by !== undefined && ` by ${visible(paused.by)}`}
              {paused.reason !== undefined && `: ${visible(paused.reason)}`}
            </span>
            {paused.with !== undefined && (
              <>
                with <RunLink scope={scope} run_id={paused.with} />
              </>
            )}
          </span>
        )}
        {run.started_at && (
          <span>
            <Hourglass size={14} aria-hidden />
            <Took run={run} />
          </span>
        )}
        <span>
          <Icon size={14} aria-hidden />
          <StartedBy scope={scope} run={run} />
          {!run.trusted && <strong className="bad">not trusted</strong>}
        </span>
        {run.kind === 'function' && (
          <span>
            <FunctionSquare size={14} aria-hidden />
            <span>Function</span>
            <Link to="/orgs/$org/projects/$project/functions/$function" params={{ ...scope, function: run.workflow }}>
              {visible(run.workflow)}
            </Link>
          </span>
        )}
        {run.parent && (
          <span>
            <Split size={14} aria-hidden />
            <span>Called by</span>
            <RunLink scope={scope} run_id={run.parent} />
          </span>
        )}
        {run.rerun_of && (
          <span>
            <RotateCw size={14} aria-hidden />
            <span>Rerun of</span>
            <Link
              className="mono"
              to="/orgs/$org/projects/$project/runs/$run"
              params={{ ...scope, run: run.rerun_of }}
              title={run.rerun_of}
            >
              …{run.rerun_of.slice(-6)}
            </Link>
          </span>
        )}
        {run.subject && (
          <span>
            <Target size={14} aria-hidden />
            <RunsLink scope={scope} filters={{ subject: run.subject }}>
              {run.subject}
            </RunsLink>
          </span>
        )}
        {run.deadline && (
          <span>
            <TimerReset size={14} aria-hidden />
            <span>
              Deadline <Time at={run.deadline} />
            </span>
          </span>
        )}
        {run.requires && run.requires.length > 0 && (
          <span>
            <TagIcon size={14} aria-hidden />
            needs {run.requires.join(', ')}
          </span>
        )}
      </div>
    </header>
  );
}

/** What it waits for, where that is a person or the time. */
function statusWords({ status, substate }: RunRecord): string | undefined {
  if (status !== 'waiting' || !substate) return undefined;
  if (substate.kind === 'signal') return isApproval(substate.name) ? 'Waiting for approval' : 'Waiting for a signal';
  return {
    sleep: 'Sleeping',
    event: 'Waiting for an event',
    ask: 'Waiting for an ask',
    any: 'Waiting for whichever comes first',
    awaiting_lease: 'Waiting for a lock',
  }[substate.kind as string];
}
