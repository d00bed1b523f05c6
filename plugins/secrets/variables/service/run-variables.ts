import { BoundedMap, type Database, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { JobEnvironmentSource, NewRun, SubmitObserver } from '../../../engine/runs/contract.ts';
import type { RunValues } from '../../../engine/flows/contract.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import { type RecordedVariables, VARS } from '../contract.ts';
import {
  currentRevisions,
  insertRuns,
  readRunRevisions,
  type Revisions,
  type RunRow,
  valuesIn,
} from '../store/run-values.ts';

type Reads = Pick<Queries, 'read'>;
type Values = Readonly<Record<string, string>>;

const MAX_CACHED_RUNS = 10_000;
const MAX_CACHED_VALUES = 1000;
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024;
/** What a variable takes besides its name and value. */
const ENTRY_CHARACTERS = 64;

const NO_VARIABLES: Revisions = { project_revision: 0, org_revision: 0 };
const isEmpty = ({ project_revision, org_revision }: Revisions) => project_revision === 0 && org_revision === 0;

const weigh = (values: Values): number =>
  Object.entries(values).reduce((sum, [name, value]) => sum + name.length + value.length + ENTRY_CHARACTERS, 0);

/**
 * The variables of runs. A run stores the revisions of its project and its org in the transaction that creates it, and every
 * attempt, pass and expression of the run sees the values of these revisions. Untrusted runs get none.
 */
export class RunVariables implements RecordedVariables {
  readonly #database: Database;
  /** The revisions of runs never change. */
  readonly #revisions = new BoundedMap<string, Revisions>(MAX_CACHED_RUNS);
  /** The values of a revision never change. */
  readonly #values = new BoundedMap<string, Values>(MAX_CACHED_VALUES, {
    max_weight: MAX_CACHED_CHARACTERS,
    weigh,
  });

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** Stores the revisions of new runs. A run that another one calls gets the values of its caller. */
  get observer(): SubmitObserver {
    return {
      name: 'variables',
      onSubmitted: async (tx, runs) => {
        const rows: RunRow[] = [];
        for (const run of runs) {
          const revisions = run.trusted ? await this.#revisionsFor(tx, run) : NO_VARIABLES;
          // If this transaction runs again, it writes other revisions over these.
          this.#revisions.set(run.run_id, revisions);
          const { run_id, org_id, project_id } = run;
          if (!isEmpty(revisions)) rows.push({ run_id, org_id, project_id, ...revisions });
        }
        await insertRuns(tx, rows);
      },
    };
  }

  /** The values as the scope of expressions. */
  get values(): RunValues {
    return { name: VARS, read: (on, run) => this.of(on, run) };
  }

  /**
   * The values as environment variables of jobs. Secrets, the workflow's own `env` and credentials override them there, but
   * not in the `vars` of the SDKs.
   */
  get environment(): JobEnvironmentSource {
    return {
      name: 'variables',
      layer: 'base',
      provide: async (job) => {
        if (!job.trusted) return [];
        const values = await this.of(this.#database, job);
        return Object.entries(values).map(([name, value]) => ({ name, value, secret: false, in_vars: true }));
      },
    };
  }

  async #revisionsFor(tx: Transaction, run: NewRun): Promise<Revisions> {
    return run.called_by === undefined ? currentRevisions(tx, run) : this.#revisionsOf(tx, run.called_by);
  }

  async #revisionsOf(on: Reads, run_id: string): Promise<Revisions> {
    const cached = this.#revisions.get(run_id);
    if (cached) return cached;
    const revisions = (await readRunRevisions(on, run_id)) ?? NO_VARIABLES;
    this.#revisions.set(run_id, revisions);
    return revisions;
  }

  async of(on: Reads, { org_id, project_id, run_id }: ProjectScope & { run_id: string }): Promise<Values> {
    const { project_revision, org_revision } = await this.#revisionsOf(on, run_id);
    const of_org = await this.#valuesIn(on, org_id, org_revision);
    const of_project = await this.#valuesIn(on, project_id, project_revision);
    return { ...of_org, ...of_project };
  }

  async #valuesIn(on: Reads, owner_id: string, revision: number): Promise<Values> {
    if (revision === 0) return {};
    const key = `${owner_id} ${revision}`;
    const cached = this.#values.get(key);
    if (cached) return cached;
    const values = await valuesIn(on, owner_id, revision);
    this.#values.set(key, values);
    return values;
  }
}
