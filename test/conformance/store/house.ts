import {
  type Database,
  Errors,
  type GroupCommits,
  type Ids,
  type SealedPlace,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { createMaskers } from '../../../plugins/masking/service/maskers.ts';
import { SealedRunMasks } from '../../../plugins/masking/service/run-masks.ts';
import { SqlAudit } from '../../../plugins/audit/service/sql-audit.ts';
import type {
  ArmWait,
  Capabilities,
  Claimed,
  ClaimRef,
  EnvelopeSource,
  JournaledVerb,
  JournalRecord,
  Json,
  NewRun,
  RunObserver,
  RunTransition,
  SubmitObserver,
  WaitKind,
  Wakeups,
} from '../../../plugins/runs/contract.ts';
import { envelopeGone } from '../../../plugins/runs/errors.ts';
import { sleepKind } from '../../../plugins/runs/domain/sleep-kind.ts';
import { waitSignalKind } from '../../../plugins/runs/store/signals.ts';
import { SqlRunStore } from '../../../plugins/runs/store/sql-run-store.ts';
import { PlaceSealer } from '../../../plugins/runs/testing/place-sealer.ts';
import { VaultErrors } from '../../../plugins/vault/errors.ts';

/** A database that a suite runs on. */
export interface Opened {
  database: Database;
  group_commits: GroupCommits;
  close(): Promise<void>;
}

/** One engine in the suite: what a server process is, without its process. */
export interface Server {
  store: SqlRunStore;
  database: Database;
  sealer: PlaceSealer;
  masks: SealedRunMasks;
  heard: Heard;
}

/** What an engine told its process after its commits. */
export interface Heard {
  transitions: RunTransition[];
  submitted: NewRun[];
  /** Waits of the kind `outside`, as `<run> <position>`. */
  armed: string[];
  ended: string[];
  work: number;
  timers: number[];
  runs: string[];
  revoked: (ClaimRef & { agent_id: string; reason: string })[];
}

/** Refuses a moved or altered value with the code that the real one has. */
class CodedSealer extends PlaceSealer {
  override open(place: SealedPlace, blob: Buffer): Buffer {
    try {
      return super.open(place, blob);
    } catch (error) {
      throw VaultErrors.sealedValueUnreadable(`${place.table}/${place.name}`, { cause: error });
    }
  }
}

const never = () => () => {};

function recordingWakeups(heard: Heard): Wakeups {
  return {
    work: () => {
      heard.work += 1;
    },
    timer: (deadline) => heard.timers.push(deadline),
    run: (run_id) => heard.runs.push(run_id),
    revoked: (claim) => heard.revoked.push(claim),
    topic: () => undefined,
    onTopic: never,
    onWork: never,
    onTimer: never,
    onRun: never,
    onRevoked: never,
  };
}

/** Hears of transitions once they are committed. */
const recordingObserver = (heard: Heard): RunObserver => ({
  name: 'test.recorder',
  async onTransitions(tx: Transaction, transitions) {
    tx.afterCommit(() => heard.transitions.push(...transitions));
  },
});

/** Hears of submits once they are committed; refuses those of the tag `refuse`. */
const recordingSubmits = (heard: Heard): SubmitObserver => ({
  name: 'test.submits',
  async onSubmitted(tx, runs) {
    if (runs.some(({ tags }) => tags?.includes('refuse'))) throw Errors.forbidden('not this one');
    tx.afterCommit(() => heard.submitted.push(...runs));
  },
});

/** Knows one envelope. */
const keptEnvelopes: EnvelopeSource = {
  scheme: 'kept',
  async read(_scope, reference) {
    if (reference !== 'evt_1') throw envelopeGone(`there is no ${reference}`);
    return { type: 'build.done', event: 'evt_1', payload: { big: true } };
  },
};

/** `count` adds one to a cell of the run and answers the sum: doing it twice shows. `{refuse}` throws after the write. */
export const countVerb: JournaledVerb = {
  kind: 'count',
  async perform(tx, { org_id, project_id, run_id }, args) {
    const cell = [project_id, run_id, Buffer.from('test'), Buffer.from('count')];
    const where = 'WHERE project_id = ? AND run_id = ? AND entity = ? AND cell = ?';
    const [row] = await tx.read<{ value: string }>(`SELECT value FROM runs_cells ${where}`, cell);
    const value = String(Number(row?.value ?? 0) + 1);
    await tx.write(
      `INSERT INTO runs_cells (project_id, run_id, entity, cell, org_id, value, trusted, written_at)
       VALUES (?, ?, ?, ?, ?, ?, 1, 1) ${tx.sql.upsert(['project_id', 'run_id', 'entity', 'cell'], ['value'])}`,
      [...cell, org_id, value],
    );
    if ((args as { refuse?: boolean } | null)?.refuse) throw new Error('refused');
    return { exit_code: 0, output: Buffer.from(value) };
  },
};

/** Prepares outside of the transaction, and tells its place; refuses before it when asked to. */
const preparedVerb: JournaledVerb = {
  kind: 'prepared',
  async prepare({ run_id, trusted }, args) {
    if (args === 'refuse') throw Errors.forbidden('not this one');
    return `${run_id} ${trusted}`;
  },
  perform: async (_tx, { position }, _args, prepared) => ({
    exit_code: 0,
    output: Buffer.from(`${position} ${String(prepared)}`),
  }),
};

/** Waits for whatever ends it from outside, and keeps a list of what is armed: what the bus, leases and children do. */
const outsideKind = (heard: Heard): WaitKind => ({
  kind: 'outside',
  substate: 'event',
  tryResolve: async () => undefined,
  async arm(tx, { run_id }, { position }) {
    tx.afterCommit(() => heard.armed.push(`${run_id} ${position}`));
  },
  async ended(tx, waits) {
    tx.afterCommit(() => heard.ended.push(...waits.map(({ run_id, position }) => `${run_id} ${position}`)));
  },
  late: async (_tx, { args }) =>
    (args as { late?: boolean } | null)?.late ? { exit_code: 0, output: Buffer.from('late') } : undefined,
  expire: ({ args }) => {
    if ((args as { broken?: boolean } | null)?.broken) throw new Error('broken kind');
    return { exit_code: 124, output: Buffer.alloc(0) };
  },
});

export function serverOn(opened: Opened, ids: Ids): Server {
  const heard: Heard = {
    transitions: [],
    submitted: [],
    armed: [],
    ended: [],
    work: 0,
    timers: [],
    runs: [],
    revoked: [],
  };
  const sealer = new CodedSealer();
  const { database, group_commits } = opened;
  const masks = new SealedRunMasks({ database, sealer, ids, maskers: createMaskers() });
  const store = new SqlRunStore({
    database,
    group_commits,
    sealer,
    ids,
    wakeups: recordingWakeups(heard),
    wait_kinds: [sleepKind, waitSignalKind(sealer, () => database.now()), outsideKind(heard)],
    verbs: [countVerb, preparedVerb],
    observers: [recordingObserver(heard)],
    submit_observers: [recordingSubmits(heard)],
    activity_observers: [],
    envelope_sources: [keptEnvelopes],
    audit: new SqlAudit(database, ids),
    masks,
    public_url: 'https://svc.example',
  });
  return { store, database, sealer, masks, heard };
}

/** Everything of one scenario lives in an org of its own, so that claims of scenarios never meet. */
export class House {
  readonly servers: readonly Server[];
  readonly ids: Ids;
  readonly org_id: string;
  readonly project_id: string;

  constructor(servers: readonly Server[], ids: Ids, scope?: { org_id: string; project_id: string }) {
    this.servers = servers;
    this.ids = ids;
    this.org_id = scope?.org_id ?? ids.next('org');
    this.project_id = scope?.project_id ?? ids.next('prj');
  }

  get first(): Server {
    return this.servers[0]!;
  }

  get store(): SqlRunStore {
    return this.first.store;
  }

  /** Another server on the same database, where the database takes one; else the same. */
  get other(): Server {
    return this.servers.at(-1)!;
  }

  newRun(over: Partial<NewRun> = {}, activities = 1): NewRun {
    return {
      run_id: this.ids.next('run'),
      org_id: this.org_id,
      project_id: this.project_id,
      org: 'acme',
      project: 'main',
      kind: 'script',
      workflow: 'build.sh',
      filename: 'build.sh',
      source: 'echo',
      trigger: { type: 'manual' },
      trusted: true,
      generation: 0,
      activities: Array.from({ length: activities }, (_, i) => ({
        activity_id: this.ids.next('act'),
        name: `job-${i}`,
        executor: 'script',
        spec: { source: 'echo' },
        requires: over.requires ?? [],
      })),
      ...over,
    };
  }

  async submit(over: Partial<NewRun> = {}, activities = 1): Promise<NewRun> {
    const run = this.newRun(over, activities);
    await this.store.createRun(run);
    return run;
  }

  agent(capabilities: readonly string[] = [], agent_id = 'agt_one'): Capabilities {
    return { agent_id, org_id: this.org_id, capabilities };
  }

  /** Claims the one activity that there is. */
  async claim(agent_id = 'agt_one', lease_ms = 600_000): Promise<Claimed> {
    const [claimed, ...rest] = await this.store.claim(this.agent([], agent_id), 2, lease_ms);
    if (!claimed || rest.length > 0) throw new Error(`${rest.length + (claimed ? 1 : 0)} claims instead of one`);
    return claimed;
  }

  async started(over: Partial<NewRun> = {}): Promise<Claimed> {
    await this.submit(over);
    return this.claim();
  }

  run(run_id: string) {
    return { org_id: this.org_id, project_id: this.project_id, run_id };
  }

  signal(run_id: string, name: string, payload: Json = null) {
    return this.store.sendSignal({ ...this.run(run_id), name, payload });
  }

  async count(table: string, where: string, params: string[]): Promise<number> {
    const rows = await this.first.database.read<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`,
      params,
    );
    return Number(rows[0]!.n);
  }
}

export const refOf = ({ activity_id, epoch }: ClaimRef): ClaimRef => ({ activity_id, epoch });

export function step(position: number, over: Partial<JournalRecord> = {}): JournalRecord {
  return {
    position,
    kind: 'step',
    name: `step-${position}`,
    ordinal: 0,
    digest: '',
    exit_code: 0,
    output: Buffer.from(`out ${position}\n`).toString('base64'),
    started_at: 1_700_000_000_000 + position,
    ...over,
  };
}

export function waitFor(position: number, name: string, over: Partial<ArmWait> = {}): ArmWait {
  return {
    position,
    kind: 'wait-signal',
    name,
    ordinal: 0,
    digest: '',
    args: null,
    started_at: 1_700_000_000_000,
    ...over,
  };
}

/** Asks until it is true; for what happens by the database's clock. Never gives up sooner than a test's bound. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** The code of the error that something rejects with; undefined when it does not. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Every output of a record, decoded. */
export const text = (record: JournalRecord): string => Buffer.from(record.output, 'base64').toString();
