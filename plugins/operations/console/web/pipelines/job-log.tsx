import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { NodeRecord } from '../../../../../cli/generated/api.ts';
import { nodeLabel } from '../../../run-views/explain/node-label.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Empty, StatusIcon } from '../kit/basics.tsx';
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
  const open = chosen ?? standsAt(steps);
  if (steps.length === 0)
    return mine.length === 0 ? (
      <Empty>{complete ? 'Nothing was printed.' : 'Nothing has been printed yet.'}</Empty>
    ) : (
      <Lines lines={mine} version={version} wrap={false} times={false} first={1} writer={false} />
    );
  return (
    <ol className="job-steps" aria-label="Steps of the job">
      {steps.map((step, index) => {
        const lines = mine.slice(step.line, steps[index + 1]?.line);
        const unfolded = open === index;
        return (
          <li key={step.line}>
            <button
              type="button"
              className="bare job-step"
              aria-expanded={unfolded}
              onClick={() => setChosen(unfolded ? -1 : index)}
            >
              <ChevronRight size={14} aria-hidden />
              <StatusIcon of={SHOWN[step.state]} />
              <span className="nm clip">{visible(step.name)}</span>
              <span className="quiet small-text">
                {step.state === 'skipped' ? 'skipped' : lines.length === 1 ? '1 line' : `${lines.length} lines`}
              </span>
              <span className="quiet small-text push num">
                {step.state === 'skipped' ? '—' : span((step.to ? Date.parse(step.to) : now) - Date.parse(step.from))}
              </span>
            </button>
            {unfolded && lines.length > 0 && (
              <Lines
                lines={lines}
                version={version}
                wrap={false}
                times={false}
                first={step.line + 1}
                writer={false}
                still={step.to !== undefined}
              />
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** The step that failed or goes on stands open, and one that is alone; others are opened by whoever wants to see them. */
function standsAt(steps: readonly StepOfJob[]): number {
  const at = steps.findIndex(({ state }) => state === 'failed' || state === 'begun');
  return at < 0 && steps.length === 1 ? 0 : at;
}
