import {
  type Database,
  Errors,
  type Ids,
  type Sealer,
  retryUnknownCommit,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { encodeTrace, type Tracer } from '../../../platform/tracing/contract.ts';
import type {
  ActivityScope,
  CopiedPrefix,
  Json,
  KeptResults,
  NewRun,
  NodeAgain,
  NodeWork,
  Prefix,
  RerunPart,
  RunCoordinator,
  RunCreation,
  SubmitResult,
  SubmitRun,
  WorkflowKind,
} from '../contract.ts';
import {
  copyRecords,
  markRerun,
  markResumed,
  readExecutor,
  readOwnActivities,
  readRerunSource,
  readReusedRecords,
  readSites,
} from '../store/submit/rerun.ts';
import { recordsBefore } from './site.ts';
import { readCoordinator } from '../store/read/run-lookups.ts';
import { lockRunOf } from '../store/rows/runs.ts';

export interface RerunsDeps {
  database: Database;
  sealer: Sealer;
  creation: RunCreation;
  tracer: Pick<Tracer, 'current'> | undefined;
  masks: Pick<RunMasks, 'remember'>;
  audit: Audit;
  ids: Pick<Ids, 'next'>;
  kinds: readonly Pick<WorkflowKind, 'kind' | 'replays' | 'executor'>[];
  parts: () => readonly RerunPart[];
  coordinators: () => readonly RunCoordinator[];
}

export interface RerunRequest {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  run_id: string;
  /**
   * A site: calls recorded before it are kept. In a coordinated run a node, or a site of one: `ship/notify#1`. Absent: a coordinated run that did not succeed
   * keeps what did, any other keeps nothing.
   */
  from: string | undefined;
  /** Nothing is kept. Not beside `from`. */
  all?: boolean;
  /** Instead of the input of the first run. Without `from`, nothing of a coordinated run is kept, because it came from the other input. */
  input?: Json | undefined;
  /** A repeated request for the run with this key answers the first rerun, whatever its `from`. */
  key?: string;
  by: AuditSource;
}

/** What a rerun has of the first run: the records before a site, or results of nodes. */
interface Kept {
  prefix: Prefix | undefined;
  keeps: boolean;
  /** The activity of a job that goes on with the records. */
  resumed: string | undefined;
}

/** A job whose journal a rerun begins with. */
interface ResumedJob {
  again: NodeAgain;
  prefix: Prefix;
  activity_id: string;
}

/** So many places are looked at where the name of a job may end. */
const MAX_NAMES = 16;

/** Runs finished runs again: from the beginning, from a site, or what did not succeed. */
export class Reruns {
  readonly #deps: RerunsDeps;

  constructor(deps: RerunsDeps) {
    this.#deps = deps;
  }

  /** Throws `not_found`, `run_unfinished`, `invalid_request` for an unknown site, and the errors of a submit. */
  async rerun(request: RerunRequest): Promise<SubmitResult> {
    const { database, creation, sealer } = this.#deps;
    const { org_id, project_id, org, project, run_id, from, all, input, key, by } = request;
    if (from !== undefined && all === true) throw fromAndAll();
    const { submit, status } = await readRerunSource(database, sealer, { org_id, project_id, org, project }, run_id);
    const replays = this.#deps.kinds.some((one) => one.replays && one.kind === submit.kind);
    const job = from === undefined || replays ? undefined : await this.#job(request, from);
    const prefix = from === undefined || !replays ? job?.prefix : await this.#prefix(request, from);
    for (const part of this.#deps.parts()) if (prefix) await part.check?.(prefix);
    const present = this.#deps.tracer?.current();
    const prepared = await creation.prepare({
      repeats: true,
      ...(input === undefined ? { ...submit, input_check: 'checked' as const } : withInput(submit, input)),
      ...(by.principal ? { submitted_by: by.principal.id } : {}),
      trace: present ? encodeTrace(present) : null,
    });
    // No submit can have a key with a NUL.
    const anew = key === undefined ? prepared : { ...prepared, idempotency_key: `rerun\0${run_id}\0${key}` };
    // A run that succeeded has nothing left to do.
    const whole = all === true || replays || (from === undefined && (status === 'succeeded' || input !== undefined));
    const kept = whole
      ? undefined
      : await this.#keeping(request, anew, job?.again ?? (from === undefined ? undefined : { node: from }));
    const run = kept ?? anew;
    await sealer.prepare(org_id);
    if (prefix || kept) await this.#rememberMasks(request, run);
    return retryUnknownCommit(() =>
      database.transaction((tx) =>
        this.#make(tx, request, run, { prefix, keeps: kept !== undefined, resumed: job?.activity_id }),
      ),
    );
  }

  /** The run with what its coordinator keeps of the first one; undefined when it can keep nothing. */
  async #keeping(
    { org_id, project_id, run_id }: RerunRequest,
    run: NewRun,
    from: NodeAgain | undefined,
  ): Promise<NewRun | undefined> {
    const { coordination } = run;
    const coordinator = this.#deps.coordinators().find(({ name }) => name === coordination?.by);
    if (!coordination || !coordinator?.rerun) {
      if (from === undefined) return undefined;
      throw wholeOnly(`a ${run.kind} cannot be rerun from a site`);
    }
    const plan = await coordinator.rerun({ org_id, project_id, run_id }, coordination.plan, from);
    return plan === undefined ? undefined : { ...run, coordination: { ...coordination, plan } };
  }

  async #prefix(request: RerunRequest, from: string): Promise<Prefix> {
    const { org_id, project_id, run_id } = request;
    const own = await readOwnActivities(this.#deps.database, run_id);
    const [activity_id] = own;
    if (activity_id === undefined || own.length > 1) throw wholeOnly(`the run has ${own.length} journals, not one`);
    const place = { run_id, activity_id };
    const sites = await readSites(this.#deps.database, place);
    return { org_id, project_id, from: place, records: sites.slice(0, recordsBefore(sites, from)) };
  }

  /** The job that a site belongs to; undefined when `from` is no site of a job. Throws `invalid_request`. */
  async #job(request: RerunRequest, from: string): Promise<ResumedJob | undefined> {
    const { org_id, project_id, run_id } = request;
    const { database, ids, kinds } = this.#deps;
    const ends = [...from.matchAll(/\//g)].slice(0, MAX_NAMES).map(({ index }) => index);
    for (const end of ends) {
      const name = from.slice(0, end);
      const found = await this.#nodeNamed({ org_id, project_id, run_id }, name);
      if (!found) continue;
      const old = found.activity_id;
      const executor = old === null ? undefined : await readExecutor(database, { run_id, activity_id: old });
      if (old === null || !kinds.some((kind) => kind.replays && kind.executor === executor))
        throw noJournal(name, found);
      const place = { run_id, activity_id: old };
      const sites = await readSites(database, place);
      const records = sites.slice(0, recordsBefore(sites, from.slice(end + 1)));
      const activity_id = ids.next('act');
      const again = { node: found.node, resumed: { item: found.item, activity_id } };
      return { again, activity_id, prefix: { org_id, project_id, from: place, records, job: name } };
    }
    return undefined;
  }

  async #nodeNamed(run: ActivityScope, name: string): Promise<NodeWork | undefined> {
    const by = await readCoordinator(this.#deps.database, run.project_id, run.run_id);
    return this.#deps
      .coordinators()
      .find((one) => one.name === by)
      ?.node?.(run, name);
  }

  /** What is copied may contain values of the first run, even values that were replaced since. */
  async #rememberMasks({ org_id, project_id, run_id }: RerunRequest, run: NewRun): Promise<void> {
    const { masks } = this.#deps;
    const values = await masks.remember({ org_id, project_id, run_id }, []);
    if (values.length > 0) await masks.remember({ org_id, project_id, run_id: run.run_id }, values);
  }

  async #make(tx: Transaction, request: RerunRequest, run: NewRun, kept: Kept): Promise<SubmitResult> {
    const { prefix, keeps, resumed } = kept;
    const { audit, creation } = this.#deps;
    // Held until the copy is complete: a run that is pruned meanwhile would be copied in part.
    await lockRunOf(tx, request);
    const [made] = await creation.createIn(tx, [{ ...run, unfinished: true }]);
    // The answer to the commit was lost and the run exists, or another one has the key.
    if (made!.duplicate) return { run_id: made!.run_id, status: made!.status, duplicate: made!.run_id !== run.run_id };
    await markRerun(tx, run.run_id, request.run_id);
    if (keeps) await this.#keep(tx, request, run, prefix && resumed ? { prefix, activity_id: resumed } : undefined);
    else if (prefix) await this.#copy(tx, run, prefix);
    const { org_id, project_id, run_id, from, all, input, by } = request;
    const what = `${all === true ? ', all of it' : ''}${input === undefined ? '' : ', with another input'}`;
    const detail = `as ${run.run_id}${from === undefined ? '' : ` from ${from}`}${what}`;
    await audit.record(tx, { ...by, org_id, project_id, action: 'run.rerun', subject: run_id, detail });
    return made!;
  }

  /** What the nodes that are kept have made beside their results, and the journal of the job that goes on. */
  async #keep(
    tx: Transaction,
    { org_id, project_id, run_id }: RerunRequest,
    run: NewRun,
    resumed: { prefix: Prefix; activity_id: string } | undefined,
  ): Promise<void> {
    const { by, plan } = run.coordination!;
    const coordinator = this.#deps.coordinators().find(({ name }) => name === by);
    const redone: KeptResults['redone'] = async (on, activity_ids) =>
      (await coordinator?.redone?.(on, { org_id, project_id, run_id }, plan, activity_ids)) ?? new Set(activity_ids);
    const { trusted } = run;
    const copied = resumed && {
      ...resumed.prefix,
      to: { run_id: run.run_id, activity_id: resumed.activity_id },
      trusted,
    };
    const kept: KeptResults = {
      ...{ org_id, project_id, from: { run_id }, to: { run_id: run.run_id }, trusted, resumed: copied },
      redone,
      records: (on, kinds) => readReusedRecords(on, run_id, kinds, redone),
    };
    for (const part of this.#deps.parts()) await part.keep?.(tx, kept);
    if (copied) await copyRecords(tx, this.#deps.sealer, copied);
    if (copied) for (const part of this.#deps.parts()) await part.copy?.(tx, copied);
  }

  async #copy(tx: Transaction, run: NewRun, prefix: Prefix): Promise<void> {
    const [activity] = run.activities;
    const to = { run_id: run.run_id, activity_id: activity!.activity_id };
    const copied: CopiedPrefix = { ...prefix, to, trusted: run.trusted };
    if (copied.records.length > 0) await markResumed(tx, copied.to.activity_id);
    await copyRecords(tx, this.#deps.sealer, copied);
    for (const part of this.#deps.parts()) await part.copy?.(tx, copied);
  }
}

/** The submit with another input, which is checked anew. What an event has passed is no longer the input. */
function withInput({ envelope, ...submit }: SubmitRun, input: Json): SubmitRun {
  if (envelope === undefined) return { ...submit, input };
  const { inputs: _inputs, ...rest } = envelope;
  return { ...submit, envelope: rest as typeof envelope, input };
}

function noJournal(name: string, { node, several, activity_id }: NodeWork) {
  const why = several
    ? `has several combinations, each with its own journal; name one, as in ${node}[0]/<site>`
    : activity_id === null
      ? 'has no journal in this run: it has not started, or was carried over from the previous run; name only the job to run it again'
      : 'is not a script, so it has no sites; name only the job to run it again';
  return Errors.invalidRequest(`${JSON.stringify(name.slice(0, 128))} ${why}`, {
    errors: [{ pointer: '/from', message: why }],
  });
}

const fromAndAll = () =>
  Errors.invalidRequest('`all` keeps nothing, and `from` keeps the calls before a site; use only one of them', {
    errors: [{ pointer: '/all', message: 'cannot be combined with from' }],
  });

const wholeOnly = (message: string) =>
  Errors.invalidRequest(`${message}; leave \`from\` out to run everything again`, {
    errors: [{ pointer: '/from', message }],
  });
