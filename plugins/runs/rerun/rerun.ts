import {
  type Database,
  Errors,
  type Sealer,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import { keptTrace, type Tracer } from '../../tracing/contract.ts';
import type {
  CopiedPrefix,
  KeptResults,
  NewRun,
  Prefix,
  RerunPart,
  RunCoordinator,
  RunCreation,
  SubmitResult,
  WorkflowKind,
} from '../contract.ts';
import { copyCells, copyRecords, noteRerun, readOwnActivities, readSites } from '../store/rerun-copy.ts';
import { recordsBefore } from './site.ts';
import { submitOf } from '../store/rerun-source.ts';
import { lockRunOf } from '../store/run-rows.ts';

export interface RerunsParts {
  database: Database;
  sealer: Sealer;
  creation: RunCreation;
  tracer: Pick<Tracer, 'current'> | undefined;
  masks: Pick<RunMasks, 'remember'>;
  audit: Audit;
  kinds: readonly Pick<WorkflowKind, 'kind' | 'replays'>[];
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
   * A site: calls recorded before it are kept. In a coordinated run a node. Absent: a coordinated run that did not succeed
   * keeps what did, any other keeps nothing.
   */
  from: string | undefined;
  /** Nothing is kept. Not beside `from`. */
  all?: boolean;
  /** A repeated request for the run with this key answers the first rerun, whatever its `from`. */
  key?: string;
  by: AuditSource;
}

/** What a rerun has of the first run: the records before a site, or results of nodes. */
interface Kept {
  prefix: Prefix | undefined;
  keeps: boolean;
}

/** Runs finished runs again: from the beginning, from a site, or what did not succeed. */
export class Reruns {
  readonly #parts: RerunsParts;

  constructor(parts: RerunsParts) {
    this.#parts = parts;
  }

  /** Throws `not_found`, `run_unfinished`, `invalid_request` for an unknown site, and the errors of a submit. */
  async rerun(request: RerunRequest): Promise<SubmitResult> {
    const { database, creation, sealer } = this.#parts;
    const { org_id, project_id, org, project, run_id, from, all, key, by } = request;
    if (from !== undefined && all === true) throw fromAndAll();
    const { submit, status } = await submitOf(database, sealer, { org_id, project_id, org, project }, run_id);
    const replays = this.#parts.kinds.some((one) => one.replays && one.kind === submit.kind);
    const prefix = from === undefined || !replays ? undefined : await this.#prefix(request, from);
    for (const part of this.#parts.parts()) if (prefix) await part.check?.(prefix);
    const present = this.#parts.tracer?.current();
    const prepared = await creation.prepare({
      ...submit,
      ...(by.principal ? { submitted_by: by.principal.id } : {}),
      trace: present ? keptTrace(present) : null,
    });
    // No submit can have a key with a NUL.
    const anew = key === undefined ? prepared : { ...prepared, idempotency_key: `rerun\0${run_id}\0${key}` };
    // Of a run that succeeded, nothing would be left to do.
    const whole = all === true || replays || (from === undefined && status === 'succeeded');
    const kept = whole ? undefined : await this.#keeping(request, anew);
    const run = kept ?? anew;
    await sealer.prepare(org_id);
    if (prefix || kept) await this.#rememberMasks(request, run);
    return retryUnknownCommit(() =>
      database.transaction((tx) => this.#make(tx, request, run, { prefix, keeps: kept !== undefined })),
    );
  }

  /** The run with what its coordinator keeps of the first one; undefined when it can keep nothing. */
  async #keeping({ org_id, project_id, run_id, from }: RerunRequest, run: NewRun): Promise<NewRun | undefined> {
    const { coordination } = run;
    const coordinator = this.#parts.coordinators().find(({ name }) => name === coordination?.by);
    if (!coordination || !coordinator?.rerun) {
      if (from === undefined) return undefined;
      throw wholeOnly(`a ${run.kind} cannot be rerun from a site`);
    }
    const plan = await coordinator.rerun({ org_id, project_id, run_id }, coordination.plan, from);
    return plan === undefined ? undefined : { ...run, coordination: { ...coordination, plan } };
  }

  async #prefix(request: RerunRequest, from: string): Promise<Prefix> {
    const { org_id, project_id, run_id } = request;
    const own = await readOwnActivities(this.#parts.database, run_id);
    const [activity_id] = own;
    if (activity_id === undefined || own.length > 1) throw wholeOnly(`the run has ${own.length} journals, not one`);
    const place = { run_id, activity_id };
    const sites = await readSites(this.#parts.database, place);
    return { org_id, project_id, from: place, records: sites.slice(0, recordsBefore(sites, from)) };
  }

  /** What is copied may contain values of the first run, even values that were replaced since. */
  async #rememberMasks({ org_id, project_id, run_id }: RerunRequest, run: NewRun): Promise<void> {
    const { masks } = this.#parts;
    const values = await masks.remember({ org_id, project_id, run_id }, []);
    if (values.length > 0) await masks.remember({ org_id, project_id, run_id: run.run_id }, values);
  }

  async #make(tx: Transaction, request: RerunRequest, run: NewRun, { prefix, keeps }: Kept): Promise<SubmitResult> {
    const { audit, creation } = this.#parts;
    // Held until the copy is complete: a run that is pruned meanwhile would be copied in part.
    await lockRunOf(tx, request);
    const [made] = await creation.createIn(tx, [{ ...run, unfinished: true }]);
    // The answer to the commit was lost and the run exists, or another one has the key.
    if (made!.duplicate) return { run_id: made!.run_id, status: made!.status, duplicate: made!.run_id !== run.run_id };
    await noteRerun(tx, run.run_id, request.run_id);
    if (prefix) await this.#copy(tx, run, prefix);
    else if (keeps) await this.#keep(tx, request, run);
    const { org_id, project_id, run_id, from, all, by } = request;
    const detail = `as ${run.run_id}${from === undefined ? '' : ` from ${from}`}${all === true ? ', all of it' : ''}`;
    await audit.record(tx, { ...by, org_id, project_id, action: 'run.rerun', subject: run_id, detail });
    return made!;
  }

  /** What the nodes that are kept have made beside their results. */
  async #keep(tx: Transaction, { org_id, project_id, run_id }: RerunRequest, run: NewRun): Promise<void> {
    const { by, plan } = run.coordination!;
    const coordinator = this.#parts.coordinators().find(({ name }) => name === by);
    const kept: KeptResults = {
      ...{ org_id, project_id, from: { run_id }, to: { run_id: run.run_id } },
      redone: async (on, activity_ids) =>
        (await coordinator?.redone?.(on, { org_id, project_id, run_id }, plan, activity_ids)) ?? new Set(activity_ids),
    };
    for (const part of this.#parts.parts()) await part.keep?.(tx, kept);
  }

  async #copy(tx: Transaction, run: NewRun, prefix: Prefix): Promise<void> {
    const { sealer, database } = this.#parts;
    const [activity] = run.activities;
    const copied: CopiedPrefix = { ...prefix, to: { run_id: run.run_id, activity_id: activity!.activity_id } };
    await copyRecords(tx, sealer, copied);
    await copyCells(tx, sealer, database, copied, run.trusted);
    for (const part of this.#parts.parts()) await part.copy?.(tx, copied);
  }
}

const fromAndAll = () =>
  Errors.invalidRequest('`all` keeps nothing, and `from` keeps what came before a site; give one of them', {
    errors: [{ pointer: '/all', message: 'stands beside from' }],
  });

const wholeOnly = (message: string) =>
  Errors.invalidRequest(`${message}; leave \`from\` out to run it anew`, {
    errors: [{ pointer: '/from', message }],
  });
