import {
  type CachedReads,
  chunks,
  type Database,
  iso,
  type Sealer,
  FairSemaphore,
} from '../../../../kernel/contracts/index.ts';
import { SharedReads } from '../../../platform/database/contract.ts';
import type { Tracer } from '../../../platform/tracing/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { checkRunId, maskInFlightCalls, maskRun, type Run, renderInFlightCall, runNotFound } from '../contract.ts';
import type { RunRecord } from '../generated/run.ts';
import { readModerate, readRun, readRuns } from '../store/read/reading.ts';
import { readEnded, readFacts, readVersions, type RunVersion } from '../store/read/run-lookups.ts';
import { type CurrentClaim, readCurrentClaims } from '../store/rows/activities.ts';
import type { Reader } from '../store/rows/context.ts';
import type { RunEnvironment, RunEnvironments } from '../store/rows/runs.ts';
import { withTrace } from '../trace/run-trace.ts';
import type { CallsUnderWay } from './under-way.ts';

/** Runs that one read opens, with outputs that are not large. */
const READ_TOGETHER = 16;
/** Large outputs that are read, opened and parsed at a time. Each may have 4 MiB, and much more as values. */
const MAX_LARGE_READS = 2;
/** Calls in flight, and claims, that the record of a run names. */
const MAX_RUNNING = 20;

interface Scope {
  org_id: string;
  project_id: string;
}

const ENDED: RunVersion = { text: 'over', over: true };

/** Ids hold no spaces. */
const toKey = ({ org_id, project_id }: Scope, run_id: string) => `${org_id} ${project_id} ${run_id}`;
function parseKey(key: string): Scope & { run_id: string } {
  const [org_id = '', project_id = '', run_id = ''] = key.split(' ');
  return { org_id, project_id, run_id };
}

/** The records of single runs. Every query contains the project, so a run of another project looks absent. */
export interface RunRecords {
  /** Throws `not_found`. */
  read(scope: Scope, run_id: string, within?: CachedReads): Promise<Run>;
  /** A record that this server has in memory, as `read` would answer it. */
  present(run: Run): Run;
  /** The record with the claims of agents, and what these carry out now. */
  withRunning(scope: Scope, run: Run): Promise<Run>;
  /** The runs that have ended, each with a text that does not change. */
  ended(run_ids: readonly string[]): Promise<Map<string, RunVersion>>;
  /** Missing runs are left out. */
  versions(run_ids: readonly string[]): Promise<Map<string, RunVersion>>;
  facts(run_id: string): Promise<RunEnvironment>;
}

export interface RunRecordsDeps {
  on: Reader & Pick<Database, 'now'>;
  /** The lease of claims, from which follows when their agents were heard of. */
  lease_ms: number;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of' | 'maskEach'>;
  under_way: Pick<CallsUnderWay, 'of'>;
  tracer?: Pick<Tracer, 'pageOf'> | undefined;
  known_environments?: Pick<RunEnvironments, 'take'>;
}

function requireRun<T>(run_id: string, found: T | undefined): T {
  if (found === undefined) throw runNotFound(run_id);
  return found;
}

/** Secret values of a run are masked everywhere, except in texts of its callers. */
export function createRunRecords(deps: RunRecordsDeps): RunRecords {
  const { on, lease_ms, sealer, masks, under_way, tracer, known_environments } = deps;
  const readMasked = async (scope: Scope, ids: readonly string[], read: typeof readRuns): Promise<Run[]> => {
    const runs = await read(on, sealer, scope, ids);
    return masks.maskEach(scope, runs, (run, masker) => withTrace(maskRun(run, masker), tracer));
  };
  const runs = new SharedReads<Run>(async (keys) => {
    const found = new Map<string, Run>();
    const projects = Map.groupBy(keys.map(parseKey), ({ org_id, project_id }) => `${org_id} ${project_id}`);
    for (const requested of projects.values()) {
      const scope = requested[0]!;
      const run_ids = requested.map(({ run_id }) => run_id);
      for (const run of await readMasked(scope, run_ids, readModerate)) found.set(toKey(scope, run.run_id), run);
    }
    return found;
  }, READ_TOGETHER);
  const largeReads = new FairSemaphore(MAX_LARGE_READS);
  const facts = new SharedReads<RunEnvironment>((ids) => readFacts(on, sealer, ids));
  return {
    async read({ org_id, project_id }, run_id, within) {
      if (!within) {
        const run = requireRun(run_id, await runs.get(toKey({ org_id, project_id }, checkRunId(run_id))));
        if (!run.output_omitted) return run;
        const [complete] = await largeReads.run(() => readMasked({ org_id, project_id }, [run_id], readRuns));
        return requireRun(run_id, complete);
      }
      const run = await readRun(within, sealer, { org_id, project_id }, checkRunId(run_id));
      return withTrace(maskRun(run, await masks.of({ org_id, project_id, run_id }, within)), tracer);
    },
    present: (run) => withTrace(run, tracer),
    async withRunning({ org_id, project_id }, run) {
      const { run_id } = run;
      // A run that waits may wait for a child that an agent carries out.
      if (run.status !== 'running' && run.status !== 'waiting') return run;
      const [calls, held] = await Promise.all([under_way.of(on, run_id), readCurrentClaims(on, run_id, MAX_RUNNING)]);
      const times = { now: on.now(), lease_ms };
      if (calls.length + held.length === 0) return { ...run, claims: [] };
      const masker = await masks.of({ org_id, project_id, run_id });
      const oldest = calls.toSorted((a, b) => a.since - b.since).slice(0, MAX_RUNNING);
      const running = maskInFlightCalls(oldest, masker).map(renderInFlightCall);
      const claims = held.map((claim) => renderClaim({ ...claim, activity: masker.text(claim.activity) }, times));
      return { ...run, ...(running.length > 0 && { running }), claims };
    },
    versions: (run_ids) => readVersions(on, run_ids),
    ended: async (run_ids) => {
      const found = new Map<string, RunVersion>();
      for (const chunk of chunks(run_ids)) for (const id of await readEnded(on, chunk)) found.set(id, ENDED);
      return found;
    },
    facts: async (run_id) => known_environments?.take(run_id) ?? requireRun(run_id, await facts.get(run_id)),
  };
}

/** Every renewal is for a whole lease, so the time left of it shows when the agent last renewed. */
function renderClaim(
  { deadline, ...held }: CurrentClaim,
  { now, lease_ms }: { now: number; lease_ms: number },
): NonNullable<RunRecord['claims']>[number] {
  const last_sign = Math.min(now, deadline - lease_ms);
  return { ...held, last_sign_at: iso(last_sign), silent_ms: Math.round(now - last_sign), ends_at: iso(deadline) };
}
