import { useState } from 'react';
import type { NodeRecord, RunRecord } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Problem, Status, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { useNow } from '../kit/clock.ts';
import { Fact } from '../kit/facts.tsx';
import { Table } from '../kit/list.tsx';
import { pretty, took, visible } from '../kit/text.ts';
import { RunLink } from '../run/facts.tsx';
import { cellName, type Job } from './document.ts';
import { JobCalls } from './job-calls.tsx';
import { JobLog } from './job-log.tsx';
import type { JobState } from './job-state.ts';
import { useCells } from './use-cells.ts';

interface Props {
  scope: Scope;
  run: RunRecord;
  job: Job;
  is: JobState;
}

/** One job: what is known of it, its combinations, and the log of one of them by steps. */
export function JobDetails({ scope, run, job, is: { state, node, why } }: Props) {
  const [item, setItem] = useState(0);
  const matrix = node?.items !== undefined;
  const { cells, error } = useCells({ scope, run, job: job.id, node });
  const shown = matrix ? cells.find((cell) => cell.item === item) : (cells[0] ?? node);
  const ofScript = job.script && shown !== undefined && shown.attempt > 0 && !shown.kept;
  return (
    <section aria-label={`Job ${job.id}`} className="job-open">
      <h3>
        {visible(job.id)} <Status of={state} />
      </h3>
      <dl>
        {why && <Fact name="Why">{visible(why)}</Fact>}
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
    </section>
  );
}

function CellFacts({ cell }: { cell: NodeRecord }) {
  const now = useNow();
  const { attempt, activity, started_at, output, error } = cell;
  return (
    <>
      {started_at && (
        <Fact name="Began">
          <Time at={started_at} />, took {took(cell, now)}
        </Fact>
      )}
      {attempt > 1 && <Fact name="Attempts">{attempt}</Fact>}
      {activity?.agent_id && (
        <Fact name="Agent">
          <code>{visible(activity.agent_id)}</code>
        </Fact>
      )}
      {error && <Fact name="Error">{visible(`${error.code}: ${error.message}`)}</Fact>}
      {output !== undefined && output !== null && (
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

function Cells({ job, cells, chosen, onChoose }: CellsProps) {
  const now = useNow();
  const nameOf = (item: number) => (job.cells[item] ? visible(cellName(job.cells[item])) : `combination ${item + 1}`);
  return (
    <Table columns={['Combination', 'Status', 'Took', '-Error']}>
      {cells.map((cell) => (
        <tr key={cell.item} aria-current={cell.item === chosen ? 'true' : undefined}>
          <td>
            <button
              type="button"
              className="small"
              aria-pressed={cell.item === chosen}
              onClick={() => onChoose(cell.item!)}
            >
              {nameOf(cell.item!)}
            </button>
          </td>
          <td className="word">
            <Status of={cell.state} />
          </td>
          <td className="tight">{took(cell, now)}</td>
          <td className="wide">{cell.error && visible(cell.error.message)}</td>
        </tr>
      ))}
    </Table>
  );
}
