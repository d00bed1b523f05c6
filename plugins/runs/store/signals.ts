import type { Database, Queries, Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import { Errors, retryUnknownCommit } from '../../../kernel/contracts/index.ts';
import type {
  ActivityContext,
  ArmWait,
  SendSignal,
  SentSignal,
  SignalQueue,
  WaitKind,
  WaitOutcome,
} from '../contract.ts';
import { runFinished } from '../errors.ts';
import { keyOf } from './keys.ts';
import type { StoreParts } from './parts.ts';
import { resolveWaits } from './resolve.ts';
import type { LockedRun } from './run-columns.ts';
import { isTerminal, lockRunOf, mustChange, takeSeq } from './run-rows.ts';
import { sealed } from './sealing.ts';
import { awaitedSignals, oldestListening } from './wait-rows.ts';

/** A payload must fit into a record together with its final newline. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;
const NAME_POINTS = 1024;

/** The output of a wait that a signal ended. */
const outcomeOf = (payload: Buffer): WaitOutcome => ({
  exit_code: 0,
  output: Buffer.concat([payload, Buffer.from('\n')]),
});

/**
 * Gives a signal to the wait that has listened to its name longest, or queues it. Both happen under the run's lock,
 * like parking, so that no signal stays in the queue beside a wait for it (I10).
 */
export async function sendSignal(store: StoreParts, signal: SendSignal): Promise<SentSignal> {
  const payload = Buffer.from(JSON.stringify(signal.payload ?? null));
  if (payload.length > PAYLOAD_BYTES)
    throw Errors.payloadTooLarge(`the payload has ${payload.length} bytes; the limit is ${PAYLOAD_BYTES}`);
  if (signal.name === '' || [...signal.name].length > NAME_POINTS)
    throw Errors.invalidRequest(`the name of a signal must have 1 to ${NAME_POINTS} characters`);
  const { idempotency_key: key } = signal;
  const signal_id = key === undefined ? store.ids.next('sig') : `sig_${keyOf('signal-key', key)}`;
  await store.sealer.prepare(signal.org_id);
  return retryUnknownCommit((again) =>
    store.database.transaction(async (tx) => {
      const run = await lockRunOf(tx, signal);
      const before = again || key !== undefined ? await wasSent(tx, run.run_id, signal_id) : undefined;
      const state = before ?? (await deliver(tx, store, run, signal, signal_id, payload));
      return { state, waits_for: state === 'queued' ? await awaitedSignals(tx, run.run_id) : [] };
    }),
  );
}

type SignalState = SentSignal['state'];

async function wasSent(on: Pick<Queries, 'read'>, run_id: string, signal_id: string): Promise<SignalState | undefined> {
  const [sent] = await on.read<{ state: SignalState }>(
    'SELECT state FROM runs_signals WHERE run_id = ? AND signal_id = ?',
    [run_id, signal_id],
  );
  return sent?.state;
}

async function deliver(
  tx: Transaction,
  store: StoreParts,
  run: LockedRun,
  signal: SendSignal,
  signal_id: string,
  payload: Buffer,
): Promise<SignalState> {
  if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ${run.status} and does not accept signals`);
  const seq = await takeSeq(tx, run);
  const now = store.database.now();
  const topic = keyOf('signal', signal.name);
  const wait = await oldestListening(tx, run.run_id, topic);
  const taken = wait ? [now, wait.activity_id, wait.position] : [null, null, null];
  await mustChange(
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
      store.sealer.seal(sealed.signal(run, run.run_id, seq), payload),
      wait ? 'taken' : 'queued',
      now,
      ...taken,
    ],
  );
  const { by, org_id, project_id } = signal;
  const signalled = { org_id, project_id, action: 'run.signal', subject: run.run_id, detail: signal.name };
  if (by) await store.audit.record(tx, { ...by, ...signalled });
  if (!wait) return 'queued';
  const ended = await resolveWaits(tx, store, [wait], { state: 'resolved', outcome: () => outcomeOf(payload) });
  if (ended.length !== 1) throw new Error(`the wait at ${wait.position} of ${wait.activity_id} ended under the lock`);
  return 'taken';
}

/** Takes the oldest queued signal of a name. The run must be locked, and its org's keys ready. */
async function takeQueued(
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
    [context.run_id, context.run_id, keyOf('signal', name)],
  );
  if (!oldest) return undefined;
  await mustChange(
    tx,
    1,
    `UPDATE runs_signals SET state = 'taken', taken_at = ?, taken_activity = ?, taken_position = ?
     WHERE run_id = ? AND seq = ? AND state = 'queued'`,
    [now, context.activity_id, position, context.run_id, oldest.seq],
  );
  return sealer.open(sealed.signal(context, context.run_id, oldest.seq), oldest.payload);
}

/** Queued signals, for waits of other plugins. */
export function signalQueue(sealer: Sealer, database: Pick<Database, 'now'>): SignalQueue {
  return {
    async take(tx, context, name, position) {
      const payload = await takeQueued(tx, sealer, context, name, position, database.now());
      return payload && outcomeOf(payload);
    },
  };
}

/** Args `{name}` are the whole name, where that of the wait is masked. */
function signalOf({ name, args }: ArmWait): string {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  return typeof given.name === 'string' ? given.name : name;
}

/** `svc wait-signal`: the next queued signal of the name; 124 and no output on timeout. */
export function waitSignalKind(sealer: Sealer, now: () => number): WaitKind {
  return {
    kind: 'wait-signal',
    substate: 'signal',
    signal: (_context: ActivityContext, wait: ArmWait) => signalOf(wait),
    async tryResolve(tx, context, wait) {
      const payload = await takeQueued(tx, sealer, context, signalOf(wait), wait.position, now());
      return payload && outcomeOf(payload);
    },
    expire: ({ name }) => ({
      exit_code: 124,
      output: Buffer.alloc(0),
      message: `no signal ${name} came before the timeout`,
    }),
  };
}
