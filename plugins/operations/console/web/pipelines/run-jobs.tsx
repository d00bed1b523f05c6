import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { NodeRecord, RunDocument, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, Loading, Problem, StatusIcon } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { stateWord } from '../kit/state.ts';
import { took, visible } from '../kit/text.ts';
import { isNode } from '../run/keys.ts';
import type { AnyStep } from '../run/steps.ts';
import { runPath } from '../run/use-run.ts';
import { type Job, jobsOf, valuesOf } from './document.ts';
import { JobDetails } from './job-details.tsx';
import { byNode, type JobState, stateOf } from './job-state.ts';
import { CELL_PX, HEAD_PX, type Layout, layoutOf } from './layout.ts';
import './pipelines.css';

interface Props {
  /** The jobs as a graph, or the one that is looked at. */
  part: 'graph' | 'job';
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
  /** The job that is looked at. */
  chosen: string | undefined;
  /** And which of its cells. */
  item: number | undefined;
  onChoose(job: string | undefined, item?: number): void;
}

/** Cells of a matrix that are shown in its box; the rest are counted. */
const MOST_CELLS = 12;

/** The run of a pipeline as its jobs. */
export default function RunJobs({ part, scope, run, steps, chosen, item, onChoose }: Props) {
  const path = runPath(scope, run.run_id);
  const read = useQuery({
    queryKey: ['run-document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunDocument>(`${path}/document`, { signal }),
  });
  const jobs = useMemo(() => jobsOf(read.data?.source ?? ''), [read.data]);
  const records = useMemo(() => steps.filter(isNode), [steps]);
  const nodes = useMemo(() => byNode(records), [records]);
  if (part === 'graph') {
    if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
    if (!read.data) return <Loading />;
    if (jobs.length === 0) return <Empty>The document cannot be shown as jobs.</Empty>;
    return <Graph {...{ jobs, nodes, records, chosen, item, onChoose }} />;
  }
  const job = jobs.find(({ id }) => id === chosen) ?? (chosen === undefined ? standsAt(jobs, nodes) : undefined);
  if (!job) return null;
  return (
    <JobDetails key={`${job.id} ${item}`} scope={scope} run={run} job={job} is={stateOf(job, nodes)} first={item} />
  );
}

/** What one looks at first: the job that failed, or that goes on. */
function standsAt(jobs: readonly Job[], nodes: ReadonlyMap<string, NodeRecord>): Job | undefined {
  const states = jobs.map((job) => ({ job, state: stateOf(job, nodes).state }));
  const of = (wanted: string) => states.find(({ state }) => state === wanted)?.job;
  return of('failed') ?? of('running') ?? of('waiting') ?? jobs[0];
}

interface GraphProps {
  jobs: readonly Job[];
  nodes: ReadonlyMap<string, NodeRecord>;
  records: readonly NodeRecord[];
  chosen: string | undefined;
  item: number | undefined;
  onChoose(job: string | undefined, item?: number): void;
}

function Graph({ jobs, nodes, records, chosen, item, onChoose }: GraphProps) {
  const layout = useMemo(() => layoutOf(jobs, heightOf), [jobs]);
  const states = new Map(jobs.map((job) => [job.id, stateOf(job, nodes)]));
  const cells = Map.groupBy(
    records.filter((one) => one.item !== undefined),
    ({ node }) => node,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a large one scrolls by keys
    <section className="dag" aria-label="Jobs by stage" tabIndex={0}>
      <div className="dag-all" style={{ width: layout.width, height: layout.height }}>
        <Arrows layout={layout} states={states} />
        {jobs.map((job) => (
          <JobBox
            key={job.id}
            job={job}
            is={states.get(job.id)!}
            cells={cells.get(job.id) ?? []}
            box={layout.boxes.get(job.id)!}
            chosen={job.id === chosen}
            item={job.id === chosen ? item : undefined}
            onChoose={onChoose}
          />
        ))}
      </div>
    </section>
  );
}

const heightOf = ({ cells }: Job): number =>
  HEAD_PX + Math.min(MOST_CELLS, cells.length) * CELL_PX + (cells.length > MOST_CELLS ? CELL_PX : 0);

const Arrows = ({ layout, states }: { layout: Layout; states: ReadonlyMap<string, JobState> }) => (
  <svg className="dag-edges" width={layout.width} height={layout.height} aria-hidden="true">
    {layout.arrows.map(({ from, to, path }) => {
      const [before, after] = [states.get(from)?.state, states.get(to)?.state];
      const look = before !== 'succeeded' || after === 'skipped' ? 'off' : after === 'running' ? 'live' : 'ok';
      return <path key={`${from} ${to}`} className={`dag-edge ${look}`} d={path} />;
    })}
  </svg>
);

interface BoxProps {
  job: Job;
  is: JobState;
  cells: readonly NodeRecord[];
  box: { x: number; y: number; width: number; height: number };
  chosen: boolean;
  item: number | undefined;
  onChoose(job: string | undefined, item?: number): void;
}

function JobBox({ job, is: { state, node, why }, cells, box, chosen, item, onChoose }: BoxProps) {
  const now = useNow();
  const items = node?.items;
  const dim = state === 'skipped' || (state === 'waiting' && node?.started_at === undefined);
  const told = items ? `${items.ended - items.failed} of ${items.total}` : node?.started_at ? took(node, now) : '';
  return (
    <div className={`job-box ${state} ${dim ? 'dim' : ''}`} style={{ left: box.x, top: box.y, width: box.width }}>
      <button
        type="button"
        className="bare job-head"
        aria-pressed={chosen && item === undefined}
        title={why ? visible(why) : undefined}
        onClick={() => onChoose(chosen && item === undefined ? undefined : job.id)}
      >
        <StatusIcon of={state === 'waiting' && dim ? 'queued' : state} silent />
        <span className="nm clip">{visible(job.id)}</span>
        <span className="hidden">{stateWord(state)}</span>
        <span className="du num">{told}</span>
        {items && <span className="hidden">combinations{items.failed > 0 && `, ${items.failed} failed`}</span>}
        {why && <span className="hidden">{visible(why)}</span>}
      </button>
      {job.cells.slice(0, MOST_CELLS).map((cell, index) => {
        const record = cells.find((one) => one.item === index);
        const of = record ? (record.substate ? 'waiting' : record.state) : dim ? state : 'queued';
        return (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: cells of a matrix do not move
            key={index}
            type="button"
            className="bare job-cell"
            aria-pressed={chosen && item === index}
            onClick={() => onChoose(job.id, index)}
          >
            <StatusIcon of={of === 'waiting' && !record?.substate ? 'queued' : of} size="s" silent />
            <span className="hidden">{visible(job.id)}</span>
            <span className="clip">{visible(valuesOf(cell))}</span>
            <span className="hidden">{stateWord(of)}</span>
            <span className="du num">{record?.started_at ? took(record, now) : ''}</span>
          </button>
        );
      })}
      {job.cells.length > MOST_CELLS && <p className="job-cell quiet">{job.cells.length - MOST_CELLS} more</p>}
    </div>
  );
}
