import { Link } from '@tanstack/react-router';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Copy, Tag, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Fact } from '../kit/facts.tsx';
import { pretty, visible } from '../kit/text.ts';
import { RunsLink, StartedBy, Took } from '../runs/table.tsx';
import { CompareLink } from './actions.tsx';

/** What the server says of a run. */
export function Facts({ scope, run }: { scope: Scope; run: RunRecord }) {
  const { type: _type, ...envelope } = run.trigger;
  return (
    <dl>
      <Fact name="Run">
        <code>{run.run_id}</code> <Copy text={run.run_id} label="Copy the run ID" />
      </Fact>
      <Fact name="Started by">
        <StartedBy scope={scope} run={run} />
        {!run.trusted && <strong className="bad"> not trusted</strong>}
        {Object.keys(envelope).length > 0 && <Json summary="Trigger details" value={envelope} />}
      </Fact>
      {run.parent && (
        <Fact name="Called by">
          <RunLink scope={scope} run_id={run.parent} />
        </Fact>
      )}
      {run.rerun_of && (
        <Fact name="Rerun of">
          <RunLink scope={scope} run_id={run.rerun_of} />{' '}
          <CompareLink scope={scope} a={run.rerun_of} b={run.run_id}>
            Compare
          </CompareLink>
        </Fact>
      )}
      {run.subject && (
        <Fact name="Subject">
          <RunsLink scope={scope} filters={{ subject: run.subject }}>
            {run.subject}
          </RunsLink>
        </Fact>
      )}
      {run.tags.length > 0 && (
        <Fact name="Tags">
          {run.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </Fact>
      )}
      <Fact name="Created">
        <Time at={run.created_at} />
      </Fact>
      {run.started_at && (
        <Fact name="Duration">
          <Took run={run} />
        </Fact>
      )}
      {run.priority !== undefined && <Fact name="Priority">{run.priority}</Fact>}
      {run.deadline && (
        <Fact name="Deadline">
          <Time at={run.deadline} />
        </Fact>
      )}
      {run.trace_id && (
        <Fact name="Trace">
          <TraceId id={run.trace_id} page={run.trace_url} />
        </Fact>
      )}
      {run.requires && <Fact name="Needs an agent with">{run.requires.map(visible).join(', ')}</Fact>}
      {run.credentials && Object.keys(run.credentials).length > 0 && (
        <Fact name="Credentials">
          {Object.entries(run.credentials)
            .map(([variable, name]) => `${variable} = ${name}`)
            .join(', ')}
        </Fact>
      )}
      <End run={run} />
    </dl>
  );
}

function End({ run }: { run: RunRecord }) {
  return (
    <>
      {run.error && (
        <Fact name="Error">
          <code>{run.error.code}</code>
          <Block text={run.error.message} bad />
        </Fact>
      )}
      {run.reason && <Fact name="Reason">{visible(run.reason)}</Fact>}
      {run.cancelled_by && (
        <Fact name="Cancelled by">
          {visible(run.cancelled_by.type)} <code>{run.cancelled_by.event}</code>
        </Fact>
      )}
      {hasContent(run.output) && (
        <Fact name="Output">
          <Block text={pretty(run.output)} />
        </Fact>
      )}
    </>
  );
}

/** A link where the operator has said where traces are. */
const TraceId = ({ id, page }: { id: string; page: string | undefined }) =>
  page === undefined ? (
    <>
      <code>{id}</code> <Copy text={id} label="Copy the trace ID" />
    </>
  ) : (
    <a href={page} target="_blank" rel="noreferrer" className="mono">
      {id}
    </a>
  );

const hasContent = (value: unknown): boolean => value !== undefined && value !== null && pretty(value) !== '{}';

export const RunLink = ({ scope, run_id }: { scope: Scope; run_id: string }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }} className="mono">
    {run_id}
  </Link>
);

export const Json = ({ summary, value }: { summary: string; value: unknown }) => (
  <details>
    <summary>{summary}</summary>
    <Block text={pretty(value)} />
  </details>
);
