import {
  type Database,
  Errors,
  type Sealer,
  retryUnknownCommit,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { CopiedPrefix, NewRun, Prefix, RerunPart, RunCreation, SubmitResult, WorkflowKind } from '../contract.ts';
import { copyCells, copyRecords, noteRerun, readOwnActivities, readSites } from '../store/rerun-copy.ts';
import { recordsBefore } from './site.ts';
import { submitOf } from '../store/rerun-source.ts';
import { lockRunOf } from '../store/run-rows.ts';

export interface RerunsParts {
  database: Database;
  sealer: Sealer;
  creation: RunCreation;
  masks: Pick<RunMasks, 'remember'>;
  audit: Audit;
  kinds: readonly Pick<WorkflowKind, 'kind' | 'replays'>[];
  parts: () => readonly RerunPart[];
}

export interface RerunRequest {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  run_id: string;
  /** A site: calls recorded before it are kept. Absent: nothing is kept. */
  from: string | undefined;
  by: AuditSource;
}

/** Runs finished runs again, from the beginning or from a site. */
export class Reruns {
  readonly #parts: RerunsParts;

  constructor(parts: RerunsParts) {
    this.#parts = parts;
  }

  /** Throws `not_found`, `run_unfinished`, `invalid_request` for an unknown site, and the errors of a submit. */
  async rerun(request: RerunRequest): Promise<SubmitResult> {
    const { database, creation, sealer } = this.#parts;
    const { org_id, project_id, org, project, run_id, from, by } = request;
    const submit = await submitOf(database, { org_id, project_id, org, project }, run_id);
    const prefix = from === undefined ? undefined : await this.#prefix(request, submit.kind!, from);
    for (const part of this.#parts.parts()) if (prefix) await part.check?.(prefix);
    const run = await creation.prepare({ ...submit, ...(by.principal ? { submitted_by: by.principal.id } : {}) });
    await sealer.prepare(org_id);
    if (prefix) await this.#rememberMasks(prefix, run);
    return retryUnknownCommit(() => database.transaction((tx) => this.#make(tx, request, run, prefix)));
  }

  async #prefix(request: RerunRequest, kind: string, from: string): Promise<Prefix> {
    const replaying = this.#parts.kinds.filter(({ replays }) => replays).map((one) => one.kind);
    if (!replaying.includes(kind))
      throw wholeOnly(`only a ${replaying.join(' or a ')} can be rerun from a site, and this run is a ${kind}`);
    const { org_id, project_id, run_id } = request;
    const own = await readOwnActivities(this.#parts.database, run_id);
    const [activity_id] = own;
    if (activity_id === undefined || own.length > 1) throw wholeOnly(`the run has ${own.length} journals, not one`);
    const place = { run_id, activity_id };
    const sites = await readSites(this.#parts.database, place);
    return { org_id, project_id, from: place, records: sites.slice(0, recordsBefore(sites, from)) };
  }

  /** Copied records may contain values of the first run, even values that were replaced since. */
  async #rememberMasks({ org_id, project_id, from }: Prefix, run: NewRun): Promise<void> {
    const { masks } = this.#parts;
    const values = await masks.remember({ org_id, project_id, run_id: from.run_id }, []);
    if (values.length > 0) await masks.remember({ org_id, project_id, run_id: run.run_id }, values);
  }

  async #make(tx: Transaction, request: RerunRequest, run: NewRun, prefix: Prefix | undefined): Promise<SubmitResult> {
    const { audit, creation } = this.#parts;
    // Held until the copy is complete: a run that is pruned meanwhile would be copied in part.
    await lockRunOf(tx, request);
    const [made] = await creation.createIn(tx, [run]);
    // The answer to the commit was lost, and the run exists.
    if (made!.duplicate) return { run_id: made!.run_id, status: made!.status, duplicate: false };
    await noteRerun(tx, run.run_id, request.run_id);
    if (prefix) await this.#copy(tx, run, prefix);
    const { org_id, project_id, run_id, from, by } = request;
    const detail = `as ${run.run_id}${from === undefined ? '' : ` from ${from}`}`;
    await audit.record(tx, { ...by, org_id, project_id, action: 'run.rerun', subject: run_id, detail });
    return made!;
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

const wholeOnly = (message: string) =>
  Errors.invalidRequest(`${message}; leave \`from\` out to run it anew`, {
    errors: [{ pointer: '/from', message }],
  });
