import { useMemo, useState } from 'react';
import type { NodeRecord } from '../../../../cli/generated/api.ts';
import { nodeLabel } from '../../../runs/explain/node-label.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Empty, Status } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { span, visible } from '../kit/text.ts';
import { useLog } from '../run/follow-log.ts';
import { Lines } from '../run/log.tsx';
import { type StepOfJob, stepsOfJob, writerOf } from './job-log.ts';

interface Props {
  scope: Scope;
  /** Below the project. */
  path: string;
  job: string;
  cell: NodeRecord;
}

const SHOWN: Record<StepOfJob['state'], string> = {
  begun: 'running',
  ended: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
};

/** The steps of one job, and what the chosen one printed. */
export function JobLog({ scope, path, job, cell }: Props) {
  const { log, version, complete } = useLog(scoped(scope, path));
  const [chosen, setChosen] = useState<number>();
  const now = useNow();
  const writer = writerOf(job, cell.item);
  // Logs call a combination by its values; the lines of the service in them by its number.
  const named = nodeLabel(cell);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are changed in place, `version` tells so
  const mine = useMemo(
    () => log.lines.filter(({ activity }) => activity === undefined || activity === named),
    [log, version, named],
  );
  const steps = useMemo(() => stepsOfJob(mine, writer, cell.finished_at), [mine, writer, cell.finished_at]);
  const shown = chosen === undefined ? mine : mine.slice(steps[chosen]!.line, steps[chosen + 1]?.line);
  return (
    <>
      <ol className="job-steps" aria-label="Steps of the job">
        {steps.map((step, index) => (
          <li key={step.line}>
            <button
              type="button"
              className="small"
              aria-pressed={chosen === index}
              onClick={() => setChosen(chosen === index ? undefined : index)}
            >
              {visible(step.name)}
            </button>{' '}
            <Status of={SHOWN[step.state]} />{' '}
            {step.state !== 'skipped' && (
              <span className="quiet">{span((step.to ? Date.parse(step.to) : now) - Date.parse(step.from))}</span>
            )}
          </li>
        ))}
      </ol>
      {shown.length === 0 ? (
        <Empty>{complete ? 'Nothing was printed.' : 'Nothing is printed yet.'}</Empty>
      ) : (
        <Lines lines={shown} version={version} wrap={false} times={false} />
      )}
    </>
  );
}
