import {
  type Database,
  Errors,
  type Sealer,
  settled,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { CopiedPrefix, NewRun, Prefix, RerunPart, RunCreation, SubmitResult } from '../contract.ts';
import { mustChange } from '../store/run-rows.ts';
import { copyCells, copyRecords, readSites } from './copy.ts';
import { recordsBefore } from './site.ts';
import { submitOf } from './source.ts';

/** The kind whose journal is the script itself. */
const SCRIPT = 'script';

export interface RerunsParts {
  database: Database;
  sealer: Sealer;
  creation: RunCreation;
  masks: Pick<RunMasks, 'remember'>;
  audit: Audit;
  parts: () => readonly RerunPart[];
}

export interface RerunRequest {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  run_id: string;
  /** A site: what was recorded before it is not done again. Absent: everything is. */
  from: string | undefined;
  by: AuditSource;
}

/** Makes finished runs anew, from their beginning or from a site on. */
export class Reruns {
  readonly #parts: RerunsParts;

  constructor(parts: RerunsParts) {
    this.#parts = parts;
  }

  /** Throws `not_found`, `run_unfinished`, `invalid_request` on an unknown site, and what a submit throws. */
  async rerun(request: RerunRequest): Promise<SubmitResult> {
    const { database, creation, sealer } = this.#parts;
    const { org_id, project_id, org, project, run_id, from, by } = request;
    const submit = await submitOf(database, { org_id, project_id, org, project }, run_id);
    const prefix = from === undefined ? undefined : await this.#prefix(request, submit.kind!, from);
    for (const part of this.#parts.parts()) if (prefix) await part.check?.(prefix);
    const run = await creation.prepare({ ...submit, ...(by.principal ? { submitted_by: by.principal.id } : {}) });
    await sealer.prepare(org_id);
    if (prefix) await this.#rememberMasks(prefix, run);
    return settled(() => database.transaction((tx) => this.#make(tx, request, run, prefix)));
  }

  async #prefix(request: RerunRequest, kind: string, from: string): Promise<Prefix> {
    if (kind !== SCRIPT) throw wholeOnly(`only a script can be rerun from a site, and this run is a ${kind}`);
    const { org_id, project_id, run_id } = request;
    const own = await this.#parts.database.read<{ activity_id: string }>(
      'SELECT activity_id FROM runs_activities WHERE run_id = ? AND parent IS NULL',
      [run_id],
    );
    const [activity] = own;
    if (!activity || own.length > 1) throw wholeOnly(`the run has ${own.length} journals, not one`);
    const place = { run_id, activity_id: activity.activity_id };
    const sites = await readSites(this.#parts.database, place);
    return { org_id, project_id, from: place, records: sites.slice(0, recordsBefore(sites, from)) };
  }

  /** What is copied may show what the first run was given, even if that was replaced since. */
  async #rememberMasks({ org_id, project_id, from }: Prefix, run: NewRun): Promise<void> {
    const { masks } = this.#parts;
    const values = await masks.remember({ org_id, project_id, run_id: from.run_id }, []);
    if (values.length > 0) await masks.remember({ org_id, project_id, run_id: run.run_id }, values);
  }

  async #make(tx: Transaction, request: RerunRequest, run: NewRun, prefix: Prefix | undefined): Promise<SubmitResult> {
    const { audit, creation } = this.#parts;
    const [made] = await creation.createIn(tx, [run]);
    // The answer to the commit was lost, and the run is there.
    if (made!.duplicate) return { run_id: made!.run_id, status: made!.status, duplicate: false };
    await mustChange(tx, 1, 'UPDATE runs_runs SET rerun_of = ? WHERE run_id = ?', [request.run_id, run.run_id]);
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

export const OwnReruns = token<Reruns>('runs.Reruns');

const wholeOnly = (message: string) =>
  Errors.invalidRequest(`${message}; leave \`from\` out to run it anew`, {
    errors: [{ pointer: '/from', message }],
  });
