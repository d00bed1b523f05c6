import { useState } from 'react';
import type { NodeRecord, RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Problem, Status, StatusIcon, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { useNow } from '../kit/clock.ts';
import { Fact } from '../kit/facts.tsx';
import { titleOf } from '../kit/error-title.ts';
import { pretty, took, visible } from '../kit/text.ts';
import { RunLink } from '../run/facts.tsx';
import { cellName, type Job, valuesOf } from './document.ts';
import { JobCalls } from './job-calls.tsx';
import { JobLog } from './job-log.tsx';
import type { JobState } from './job-state.ts';
import { useCells } from './use-cells.ts';

interface Props {
  scope: Scope;
  run: RunRecord;
  job: Job;
  is: JobState;
  /** The cell that is looked at first. */
  first?: number | undefined;
}

/** One job: what is known of it, its combinations, and the log of one of them by steps. */
export function JobDetails({ scope, run, job, is: { state, node, why }, first }: Props) {
  const [own, setItem] = useState(first);
  const matrix = node?.items !== undefined;
  const { cells, error } = useCells({ scope, run, job: job.id, node });
  const item = own ?? cells.find((cell) => cell.state === 'failed')?.item ?? 0;
  const shown = matrix ? cells.find((cell) => cell.item === item) : (cells[0] ?? node);
  const ofScript = job.script && shown !== undefined && shown.attempt > 0 && !shown.kept;
  return (
    <section aria-label={`Job ${job.id}`} className="panel flush job-open">
      <div className="panel-head">
        <StatusIcon of={state} />
        <h2>
          {visible(job.id)}
          {matrix && job.cells[item] ? <span className="second"> · {visible(valuesOf(job.cells[item]))}</span> : null}
        </h2>
        <Status of={state} />
      </div>
      <div className="card-body">
        <dl>
          {why && !node?.error && <Fact name="Why">{visible(why)}</Fact>}
          {job.needs.length > 0 && <Fact name="Needs">{visible(job.needs.join(', '))}</Fact>}
          {job.group !== undefined && <Fact name="Lock">{visible(job.group)}</Fact>}
          {job.condition !== undefined && <Fact name="Condition">{visible(job.condition)}</Fact>}
          {node?.substate?.run_id && (
            <Fact name="Calls">
              <RunLink scope={scope} run_id={node.substate.run_id} />
            </Fact>
          )}
          {shown && <CellFacts cell={shown} />}
        </dl>
        {error && <Problem error={error} />}
        {matrix && <Cells job={job} cells={cells} chosen={item} onChoose={setItem} />}
        {ofScript && shown && <JobCalls key={`calls ${shown.item}`} scope={scope} run={run} cell={shown} />}
        {(job.kind === 'steps' || ofScript) && shown && shown.attempt > 0 && (
          <JobLog
            key={shown.item}
            path={`/runs/${encodeURIComponent(run.run_id)}/logs`}
            scope={scope}
            job={job.id}
            cell={shown}
          />
        )}
      </div>
    </section>
  );
}

function CellFacts({ cell }: { cell: NodeRecord }) {
  const now = useNow();
  const { attempt, activity, started_at, output, error } = cell;
  return (
    <>
      {started_at && (
        <Fact name="Started">
          <Time at={started_at} />, took {took(cell, now)}
        </Fact>
      )}
      {attempt > 1 && <Fact name="Attempts">{attempt}</Fact>}
      {activity?.agent_id && (
        <Fact name="Agent">
          <code>{visible(activity.agent_id)}</code>
        </Fact>
      )}
      {error && (
        <Fact name="Error">
          <span className="bad">{visible(titleOf(error).title)}</span> <code>{error.code}</code>
        </Fact>
      )}
      {output !== undefined && output !== null && pretty(output) !== '{}' && (
        <Fact name="Outputs">
          <Block text={pretty(output)} />
        </Fact>
      )}
    </>
  );
}

interface CellsProps {
  job: Job;
  cells: readonly NodeRecord[];
  chosen: number;
  onChoose(item: number): void;
}

/** The combinations of a matrix by their values; one of them is looked at. */
function Cells({ job, cells, chosen, onChoose }: CellsProps) {
  const nameOf = (item: number) => (job.cells[item] ? visible(cellName(job.cells[item])) : `combination ${item + 1}`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div className="row job-cells" role="group" aria-label="Combinations">
      {cells.map(({ item = 0, state, substate }) => (
        <button key={item} type="button" className="chip" aria-pressed={item === chosen} onClick={() => onChoose(item)}>
          <StatusIcon of={substate ? 'waiting' : state === 'waiting' ? 'queued' : state} size="s" /> {nameOf(item)}
        </button>
      ))}
    </div>
  );
}
