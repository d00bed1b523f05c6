import { chunks, type Database, type Sealer } from '../../../../../kernel/contracts/index.ts';
import type { Tracer } from '../../../../platform/tracing/contract.ts';
import { type EnvelopeSource, type InFlightCall, type RunPage, type RunReader, runNotFound } from '../../contract.ts';
import { fitting } from '../../domain/pages.ts';
import { withTrace } from '../../trace/run-trace.ts';
import { readRecords } from '../rows/journal.ts';
import { resolveEnvelope } from '../rows/runs.ts';
import { readOwnActivities } from '../submit/rerun.ts';
import { readCalledRuns } from './called-runs.ts';
import { readDocument } from './documents.ts';
import { readArmedCall, readEnvelope, readProgram } from './history.ts';
import { readEndedActivities, readOpenActivities, readOpenWaits } from './node-facts.ts';
import { readListed, readStatus } from './reading.ts';
import { readQuestions } from './questions.ts';
import { readActivityNames, readCoordinator } from './run-lookups.ts';
import { listRuns } from './run-search.ts';
import { readSearchable } from './searchable.ts';
import { readSignals } from './signal-list.ts';
import { readCommandAttempts, readTriedSteps } from './step-attempts.ts';
import { hasRun, readChildren, readRecordedSteps, readStepSizes, readWaitingSteps } from './steps.ts';
import { readLastPass } from './stored-logs.ts';

export interface RunReaderDeps {
  database: Pick<Database, 'read' | 'sql'>;
  sealer: Sealer;
  inFlight(run_id: string): Promise<InFlightCall[]>;
  envelope_sources: readonly EnvelopeSource[];
  /** Undefined: nobody traces. */
  tracer: Pick<Tracer, 'pageOf'> | undefined;
}

/** Bytes of the texts that callers gave to the runs of one page. A page becomes shorter rather than larger. */
const PAGE_BYTES = 256 * 1024;

export function createRunReader({
  database: on,
  sealer,
  inFlight,
  envelope_sources,
  tracer,
}: RunReaderDeps): RunReader {
  return {
    async list(project_id, filter) {
      const { rows, scanned_to } = await listRuns(on, project_id, filter);
      const { run_ids, next = scanned_to } = takePage(rows, filter.limit);
      return { run_ids, next };
    },
    listed: async (scope, run_ids) =>
      (await readListed(on, sealer, scope, run_ids)).map((run) => withTrace(run, tracer)),
    async searchable(run) {
      await sealer.prepare(run.org_id);
      return readSearchable(on, sealer, run);
    },
    exists: (project_id, run_id) => hasRun(on, project_id, run_id),
    async status(run_id) {
      const status = await readStatus(on, run_id);
      if (status === undefined) throw runNotFound(run_id);
      return status;
    },
    coordinator: (project_id, run_id) => readCoordinator(on, project_id, run_id),
    inFlight,
    async triedSteps(run, after) {
      await sealer.prepare(run.org_id);
      return readTriedSteps(on, sealer, run, after);
    },
    waitingSteps: (run_id, after, limit) => readWaitingSteps(on, run_id, after, limit),
    async recordedSteps(run, after, limit) {
      await sealer.prepare(run.org_id);
      const { count, cut } = fitting(await readStepSizes(on, run.run_id, after, limit));
      return { steps: await readRecordedSteps(on, sealer, run, after, count), truncated: cut };
    },
    children: (run_id, calls) => readChildren(on, run_id, calls),
    calledRuns: (run_id, calls) => readCalledRuns(on, run_id, calls),
    async commandAttempts(run, activity_ids) {
      await sealer.prepare(run.org_id);
      return readCommandAttempts(on, sealer, run, activity_ids);
    },
    openActivities: (activity_ids) => readOpenActivities(on, activity_ids),
    endedActivities: (activity_ids) => readEndedActivities(on, activity_ids),
    async openWaits(run, activity_ids) {
      await sealer.prepare(run.org_id);
      return readOpenWaits(on, sealer, run, activity_ids);
    },
    async activityNames(activity_ids) {
      const found = [];
      for (const chunk of chunks(activity_ids)) found.push(...(await readActivityNames(on, chunk)));
      return found;
    },
    lastPass: (activity_id) => readLastPass(on, activity_id),
    signals: (run_id, filter) => readSignals(on, run_id, filter),
    async questions(run) {
      await sealer.prepare(run.org_id);
      return readQuestions(on, sealer, run);
    },
    document: (run) => readDocument(on, sealer, run),
    async input(run) {
      const envelope = await readEnvelope(on, sealer, run);
      return resolveEnvelope({ sealer, envelope_sources }, { ...run, envelope });
    },
    program: (run) => readProgram(on, sealer, run),
    rootActivities: (run_id) => readOwnActivities(on, run_id),
    waitingCall: (run_id, activity_id) => readArmedCall(on, run_id, activity_id),
    async journal(activity, from, limit) {
      await sealer.prepare(activity.org_id);
      const { run_id, activity_id } = activity;
      const sizes = await readStepSizes(on, run_id, { activity_id, position: from - 1 }, limit + 1);
      const { count, cut } = fitting(sizes, limit);
      const records = await readRecords(on, sealer, activity, from, from + count - 1);
      return { records: records.map(({ record }) => record), truncated: cut };
    },
  };
}

/** The runs that fit on a page, and the last of them when there are more. */
function takePage(rows: readonly { run_id: string; bytes: number }[], limit: number): RunPage {
  const run_ids: string[] = [];
  let sum = 0;
  for (const { run_id, bytes } of rows.slice(0, limit)) {
    sum += Number(bytes);
    if (sum > PAGE_BYTES && run_ids.length > 0) break;
    run_ids.push(run_id);
  }
  return { run_ids, next: run_ids.length < rows.length ? run_ids.at(-1) : undefined };
}
