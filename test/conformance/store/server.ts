import {
  Database,
  Errors,
  type Replacement,
  type SealContext,
  Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { RunMasks } from '../../../plugins/security/masking/contract.ts';
import {
  type RevokedClaim,
  type EnvelopeSource,
  EnvelopeSources,
  type JournaledVerb,
  JournaledVerbs,
  type NewRun,
  type RunObserver,
  RunObservers,
  type RunTransition,
  type SubmitObserver,
  SubmitObservers,
  type WaitKind,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../../../plugins/engine/runs/contract.ts';
import { envelopeGone } from '../../../plugins/engine/runs/errors.ts';
import type { RunTransitions } from '../../../plugins/engine/runs/store/run-store.ts';
import { VaultErrors } from '../../../plugins/security/vault/errors.ts';
import { boot, PlaceSealer, type TestDatabase, testPlugin } from '../../kit/index.ts';

/** One engine in the suite: what a server process is, without its process. */
export interface Server {
  store: RunTransitions;
  database: Database;
  sealer: PlaceSealer;
  masks: RunMasks;
  heard: Heard;
  close(): Promise<void>;
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
  revoked: RevokedClaim[];
}

/** Refuses a moved or altered value with the code that the real one has. */
class CodedSealer extends PlaceSealer {
  override open(place: SealContext, blob: Buffer): Buffer {
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
    paused: () => undefined,
    onPaused: () => () => undefined,
    topic: () => undefined,
    onTopic: never,
    onWork: never,
    onTimer: never,
    onRun: never,
    onRuns: never,
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

const nothingHeard = (): Heard => ({
  transitions: [],
  submitted: [],
  armed: [],
  ended: [],
  work: 0,
  timers: [],
  runs: [],
  revoked: [],
});

/** What the suite adds to plugin runs. */
const suitePlugin = (heard: Heard) =>
  testPlugin(
    'store-suite',
    (plugin) => {
      plugin.contribute(WaitKinds, () => outsideKind(heard));
      plugin.contribute(JournaledVerbs, () => [countVerb, preparedVerb]);
      plugin.contribute(RunObservers, () => recordingObserver(heard));
      plugin.contribute(SubmitObservers, () => recordingSubmits(heard));
      plugin.contribute(EnvelopeSources, () => keptEnvelopes);
    },
    { requires: ['runs'] },
  );

/** Opens the engine on a database, without background work. Opening migrates, as every server does that starts. */
export async function openServer(database: TestDatabase, replace: readonly Replacement[] = []): Promise<Server> {
  const heard = nothingHeard();
  const sealer = new CodedSealer();
  const { use, close } = await boot({
    database,
    plugins: [suitePlugin(heard)],
    quiet: true,
    env: { SVC_LOG_LEVEL: 'error' },
    settings: { public_url: 'https://svc.example' },
    replace: [[Sealer, () => sealer], [Wakeups, () => recordingWakeups(heard)], ...replace],
  });
  return {
    store: use(WaitResolver) as RunTransitions,
    database: use(Database),
    sealer,
    masks: use(RunMasks),
    heard,
    close,
  };
}

/** Forgets what was heard before. */
export const forget = ({ heard }: Server): void => void Object.assign(heard, nothingHeard());
