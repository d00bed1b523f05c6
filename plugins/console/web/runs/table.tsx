import { Link } from '@tanstack/react-router';
import type { RunRecord } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Name, Status, Tag, Time } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { took, visible } from '../kit/text.ts';
import { type RunFilters, starterOf } from './filters.ts';

interface Props {
  scope: Scope;
  runs: readonly RunRecord[];
  /** Absent: nothing can be selected. */
  selected?: ReadonlySet<string> | undefined;
  onSelect?(selected: ReadonlySet<string>): void;
}

export function RunTable({ scope, runs, selected, onSelect }: Props) {
  const toggle = (run_id: string) => {
    const next = new Set(selected);
    if (!next.delete(run_id)) next.add(run_id);
    onSelect?.(next);
  };
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {selected && (
              <th className="tight">
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={runs.every(({ run_id }) => selected.has(run_id))}
                  onChange={({ target }) => onSelect?.(new Set(target.checked ? runs.map(({ run_id }) => run_id) : []))}
                />
              </th>
            )}
            <th>Run</th>
            <th>Status</th>
            <th className="wide">Started by</th>
            <th className="tight">Created</th>
            <th className="tight wide">Took</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.run_id}>
              {selected && (
                <td className="tight">
                  <input
                    type="checkbox"
                    aria-label={`Select ${run.run_id}`}
                    checked={selected.has(run.run_id)}
                    onChange={() => toggle(run.run_id)}
                  />
                </td>
              )}
              <RunCells scope={scope} run={run} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunCells({ scope, run }: { scope: Scope; run: RunRecord }) {
  return (
    <>
      <td>
        <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run.run_id }}>
          <Name>{run.workflow}</Name>
        </Link>{' '}
        <span className="quiet mono">{run.run_id.slice(-6)}</span>
        {run.subject && (
          <div className="quiet">
            <RunsLink scope={scope} filters={{ subject: run.subject }}>
              {run.subject}
            </RunsLink>
          </div>
        )}
        {run.tags.map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </td>
      <td>
        <Status of={run.status} />
        <Why run={run} />
      </td>
      <td className="wide">
        <StartedBy scope={scope} run={run} />
        {!run.trusted && <div className="quiet">not trusted</div>}
      </td>
      <td className="tight">
        <Time at={run.created_at} />
      </td>
      <td className="tight wide">
        <Took run={run} />
      </td>
    </>
  );
}

/** All runs with something in common. */
export const RunsLink = ({ scope, filters, children }: { scope: Scope; filters: RunFilters; children: string }) => (
  <Link to="/orgs/$org/projects/$project/runs" params={scope} search={filters}>
    <Name>{children}</Name>
  </Link>
);

/** The type of the event, and the handler or schedule; each leads to all runs that it started. */
export function StartedBy({ scope, run: { trigger } }: { scope: Scope; run: RunRecord }) {
  const name = starterOf(trigger);
  return (
    <>
      <RunsLink scope={scope} filters={{ trigger: trigger.type }}>
        {trigger.type}
      </RunsLink>
      {name && (
        <div className="quiet">
          <RunsLink scope={scope} filters={{ trigger: name }}>
            {name}
          </RunsLink>
        </div>
      )}
    </>
  );
}

/** What it waits for, or why it failed, in one line. */
function Why({ run: { substate, error, reason } }: { run: RunRecord }) {
  if (substate)
    return (
      <div className="quiet">
        {substate.kind.replaceAll('_', ' ')} {visible(substate.name)}, <Time at={substate.since} />
      </div>
    );
  const text = error ? `${error.code}: ${error.message}` : reason;
  return text ? <div className="quiet clip">{visible(text.split('\n', 1)[0]!)}</div> : null;
}

export function Took({ run }: { run: RunRecord }) {
  return <>{took(run, useNow())}</>;
}
