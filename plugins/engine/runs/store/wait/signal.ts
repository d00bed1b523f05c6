import {
  type Database,
  type Queries,
  type Sealer,
  type Transaction,
  Errors,
  retryUnknownCommit,
} from '../../../../../kernel/contracts/index.ts';
import type {
  ActivityContext,
  ArmWait,
  SendSignal,
  SentSignal,
  SignalQueue,
  WaitKind,
  WaitOutcome,
} from '../../contract.ts';
import { runFinished } from '../../errors.ts';
import { textKey, sealContext } from '../rows/sealing.ts';
import type { StoreContext } from '../rows/context.ts';
import { resolveWaits } from './wake.ts';
import { type LockedRun, isTerminal, lockRunOf, writeExactly, takeSeq } from '../rows/runs.ts';
import { awaitedSignals, oldestListening } from '../rows/waits.ts';

/** A payload must fit into a record together with its final newline. */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;
const MAX_NAME_POINTS = 1024;

/** The output of a wait that a signal ended. */
const signalOutcome = (payload: Buffer): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.concat([payload, Buffer.from('\n')]),
});

/**
 * Gives a signal to the wait that has listened to its name longest, or queues it. Both happen under the run's lock,
 * like parking, so that no signal stays in the queue beside a wait for it (I10).
 */
export async function sendSignal(store: StoreContext, signal: SendSignal): Promise<SentSignal> {
  const payload = Buffer.from(JSON.stringify(signal.payload ?? null));
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw Errors.payloadTooLarge(`the payload has ${payload.length} bytes; the limit is ${MAX_PAYLOAD_BYTES}`);
  if (signal.name === '' || [...signal.name].length > MAX_NAME_POINTS)
    throw Errors.invalidRequest(`the name of a signal must have 1 to ${MAX_NAME_POINTS} characters`);
  const { idempotency_key: key } = signal;
  const signal_id = key === undefined ? store.ids.next('sig') : `sig_${textKey('signal-key', key)}`;
  await store.sealer.prepare(signal.org_id);
  return retryUnknownCommit((again) =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, signal);
      const before = again || key !== undefined ? await readSentState(tx, run.run_id, signal_id) : undefined;
      const state = before ?? (await deliverSignal(tx, store, run, signal, signal_id, payload));
      return { state, waits_for: state === 'queued' ? await awaitedSignals(tx, run.run_id) : [] };
    }),
  );
}

type SignalState = SentSignal['state'];

async function readSentState(
  on: Pick<Queries, 'read'>,
  run_id: string,
  signal_id: string,
): Promise<SignalState | undefined> {
  const [sent] = await on.read<{ state: SignalState }>(
    'SELECT state FROM runs_signals WHERE run_id = ? AND signal_id = ?',
    [run_id, signal_id],
  );
  return sent?.state;
}

async function deliverSignal(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  signal: SendSignal,
  signal_id: string,
  payload: Buffer,
): Promise<SignalState> {
  if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ended (${run.status}) and does not accept signals`);
  const seq = await takeSeq(tx, run);
  const now = store.database.now();
  const topic = textKey('signal', signal.name);
  const wait = await oldestListening(tx, run.run_id, topic);
  const consumer = wait ? [now, wait.activity_id, wait.position] : [null, null, null];
  await writeExactly(
    tx,
    1,
    `INSERT INTO runs_signals (run_id, seq, signal_id, name, topic, payload, state, sent_at, taken_at, taken_activity,
     taken_position) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.run_id,
      seq,
      signal_id,
      signal.name,
      topic,
      store.sealer.seal(sealContext.signal(run, run.run_id, seq), payload),
      wait ? 'taken' : 'queued',
      now,
      ...consumer,
    ],
  );
  const { by, org_id, project_id } = signal;
  const signalled = { org_id, project_id, action: 'run.signal', subject: run.run_id, detail: signal.name };
  if (by) await store.audit.record(tx, { ...by, ...signalled });
  if (!wait) return 'queued';
  const ended = await resolveWaits(tx, store, [wait], { state: 'resolved', outcome: () => signalOutcome(payload) });
  if (ended.length !== 1) throw new Error(`the wait at ${wait.position} of ${wait.activity_id} ended under the lock`);
  return 'taken';
}

/** Consumes the oldest queued signal of a name. The run must be locked, and its org's keys ready. */
async function consumeQueued(
  tx: Transaction,
  sealer: Sealer,
  context: ActivityContext,
  name: string,
  position: number,
  now: number,
): Promise<Buffer | undefined> {
  const [oldest] = await tx.read<{ seq: number; payload: Buffer }>(
    `SELECT seq, payload FROM runs_signals WHERE run_id = ? AND seq = (SELECT MIN(seq) FROM runs_signals
     WHERE run_id = ? AND topic = ? AND state = 'queued')`,
    [context.run_id, context.run_id, textKey('signal', name)],
  );
  if (!oldest) return undefined;
  await writeExactly(
    tx,
    1,
    `UPDATE runs_signals SET state = 'taken', taken_at = ?, taken_activity = ?, taken_position = ?
     WHERE run_id = ? AND seq = ? AND state = 'queued'`,
    [now, context.activity_id, position, context.run_id, oldest.seq],
  );
  return sealer.open(sealContext.signal(context, context.run_id, oldest.seq), oldest.payload);
}

/** Hands queued signals to waits of other plugins. */
export function signalQueue(sealer: Sealer, database: Pick<Database, 'now'>): SignalQueue {
  return {
    async take(tx, context, name, position) {
      const payload = await consumeQueued(tx, sealer, context, name, position, database.now());
      return payload && signalOutcome(payload);
    },
  };
}

/** Where the name of the wait is masked, its arguments hold the whole name. */
function awaitedName({ name, args }: ArmWait): string {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  return typeof members.name === 'string' ? members.name : name;
}

/** `svc wait-signal`: the next queued signal of the name; 124 and no output on timeout. */
export function waitSignalKind(sealer: Sealer, now: () => number): WaitKind {
  return {
    kind: 'wait-signal',
    substate: 'signal',
    signal: (_context: ActivityContext, wait: ArmWait) => awaitedName(wait),
    async tryResolve(tx, context, wait) {
      const payload = await consumeQueued(tx, sealer, context, awaitedName(wait), wait.position, now());
      return payload && signalOutcome(payload);
    },
    expire: ({ name }) => ({
      exit_code: 124,
      output: Buffer.alloc(0),
      message: `no signal ${name} arrived before the timeout`,
    }),
  };
}
