import {
  type Database,
  type Queries,
  type Sealer,
  type Transaction,
  Errors,
  type Fault,
  iso,
  retryUnknownCommit,
} from '../../../../../kernel/contracts/index.ts';
import { CheckFailed, describeErrors, findValueErrors, withDoubles } from '../../../../platform/schema/contract.ts';
import {
  type ActivityContext,
  type ArmWait,
  needsPerson,
  describeApprovers,
  type Json,
  mayAnswer,
  REJECTED_EXIT_CODE,
  type SendSignal,
  type SentSignal,
  type SignalQueue,
  type SignalTerms,
  termsOf,
  type WaitKind,
  type WaitOutcome,
} from '../../contract.ts';
import { approverRequired, noQuestion, notRejectable, runFinished, signalInvalid } from '../../errors.ts';
import { textKey, sealContext } from '../rows/sealing.ts';
import type { StoreContext } from '../rows/context.ts';
import { resolveWaits } from './wake.ts';
import { type LockedRun, isTerminal, lockRunOf, writeExactly, takeSeq } from '../rows/runs.ts';
import { awaitedSignals, oldestListening, openCall, readWait, type WaitRow } from '../rows/waits.ts';

const WAIT_SIGNAL = 'wait-signal';

/** A payload must fit into a record together with its final newline. */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;
const MAX_NAME_POINTS = 1024;

/**
 * The queue of waits that ask a person. No signal has such a name, so that signals from before a wait stay apart from it, and
 * a server of an earlier version, which does not check answers, queues them.
 */
const questionQueue = (name: string): string => `\0${name}`;
const signalTopic = (name: string): string => textKey('signal', name);
const questionTopic = (name: string): string => signalTopic(questionQueue(name));

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
    throw Errors.payloadTooLarge(`the payload is ${payload.length} bytes long; the limit is ${MAX_PAYLOAD_BYTES}`);
  if (signal.name === '' || [...signal.name].length > MAX_NAME_POINTS)
    throw Errors.invalidRequest(`a signal name must have 1 to ${MAX_NAME_POINTS} characters`);
  const { idempotency_key: key } = signal;
  const signal_id = key === undefined ? store.ids.next('sig') : `sig_${textKey('signal-key', key)}`;
  await store.sealer.prepare(signal.org_id);
  const send = (checked: WaitRow | undefined) =>
    retryUnknownCommit((again) =>
      store.database.transaction(async (tx) => {
        const run = await lockRunOf(tx, signal);
        const before = again || key !== undefined ? await readSentState(tx, run.run_id, signal_id) : undefined;
        const state = before ?? (await deliverSignal(tx, store, run, { ...signal, signal_id, payload, checked }));
        return { state, waits_for: state === 'queued' ? await awaitedSignals(tx, run.run_id) : [] };
      }),
    );
  for (let checked: WaitRow | undefined; ; ) {
    try {
      return await send(checked);
    } catch (error) {
      if (!(error instanceof UncheckedAnswer)) throw error;
      checked = error.wait;
      await checkAnswer(signal, termsOf(openCall(store.sealer, checked).args));
    }
  }
}

/** The answer goes to a wait with terms, which are checked outside of the transaction, because a check takes its time. */
class UncheckedAnswer extends Error {
  readonly wait: WaitRow;

  constructor(wait: WaitRow) {
    super(`the answer to ${wait.activity_id} at ${wait.position} was not checked`);
    this.wait = wait;
  }
}

const isSameWait = (one: WaitRow, other: Pick<WaitRow, 'activity_id' | 'position'> | undefined): boolean =>
  other !== undefined && one.activity_id === other.activity_id && one.position === other.position;

/** Throws `approver_required` and `signal_invalid`. */
async function checkAnswer({ approver, payload, rejected }: SendSignal, terms: SignalTerms): Promise<void> {
  if (!(await mayAnswer(approver, terms))) {
    const who = approver === undefined ? 'this signal has no sender' : `${approver.name} may not answer this wait`;
    throw approverRequired(`${who}; these may: ${describeApprovers(terms.approvers)}`);
  }
  if (terms.form === undefined || rejected !== undefined) return;
  const errors = findFormErrors(JSON.stringify(terms.form), payload);
  if (errors.length > 0) throw signalInvalid(describeErrors(errors), { errors });
}

function findFormErrors(form: string, payload: Json): Fault[] {
  try {
    return findValueErrors(form, { value: withDoubles(payload ?? null), called: 'payload', at: '/payload' });
  } catch (error) {
    throw error instanceof CheckFailed ? signalInvalid(error.message) : error;
  }
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

interface Delivery extends Omit<SendSignal, 'payload'> {
  signal_id: string;
  payload: Buffer;
  /** The wait whose terms the signal meets. */
  checked: WaitRow | undefined;
}

async function deliverSignal(
  tx: Transaction,
  store: StoreContext,
  run: LockedRun,
  signal: Delivery,
): Promise<SignalState> {
  if (isTerminal(run)) throw runFinished(`run ${run.run_id} has ended (${run.status}) and does not accept signals`);
  const now = store.database.now();
  const wait = await findListening(tx, run, signal);
  const terms = wait?.kind === WAIT_SIGNAL ? termsOf(openCall(store.sealer, wait).args) : {};
  const asked = needsPerson(terms);
  if (wait && asked && !isSameWait(wait, signal.checked)) throw new UncheckedAnswer(wait);
  if (signal.rejected && !asked) throw notRejectable(`the wait for ${signal.name} has no form, approvers or message`);
  const answer = toAnswer(signal, terms, now);
  const seq = await takeSeq(tx, run);
  const consumer = wait ? [now, wait.activity_id, wait.position] : [null, null, null];
  await writeExactly(
    tx,
    1,
    `INSERT INTO runs_signals (run_id, seq, signal_id, name, topic, payload, state, sent_at, taken_at, taken_activity,
     taken_position, sent_by, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.run_id,
      seq,
      signal.signal_id,
      signal.name,
      asked ? questionTopic(signal.name) : signalTopic(signal.name),
      store.sealer.seal(sealContext.signal(run, run.run_id, seq), answer.payload),
      wait ? 'taken' : 'queued',
      now,
      ...consumer,
      nameOf(signal) ?? null,
      asked ? answer.decision : null,
    ],
  );
  const { by, org_id, project_id } = signal;
  const action = asked ? answer.action : 'run.signal';
  const detail = asked && signal.only ? `${signal.name}, by ${nameOf(signal)}` : signal.name;
  if (by) await store.audit.record(tx, { ...by, org_id, project_id, action, subject: run.run_id, detail });
  if (!wait) return 'queued';
  const ended = await resolveWaits(tx, store, [wait], { state: 'resolved', outcome: () => answer.outcome });
  if (ended.length !== 1) throw new Error(`the wait at ${wait.position} of ${wait.activity_id} ended under the lock`);
  return 'taken';
}

/** The wait that takes a signal. Throws `no_question` when the signal cannot be queued for another one. */
async function findListening(
  tx: Transaction,
  run: LockedRun,
  { name, rejected, only }: Delivery,
): Promise<WaitRow | undefined> {
  const wait = only
    ? await readWait(tx, { run_id: run.run_id, ...only })
    : await oldestListening(tx, run.run_id, [signalTopic(name), questionTopic(name)]);
  if (wait?.state === 'armed' || (!rejected && !only)) return wait;
  throw noQuestion(`nothing in run ${run.run_id} waits for ${name}`);
}

const nameOf = ({ approver }: Pick<SendSignal, 'approver'>): string | undefined => approver?.recorded ?? approver?.name;

interface Answer {
  action: 'run.approve' | 'run.reject';
  decision: 'approved' | 'rejected';
  /** What is stored with the signal. */
  payload: Buffer;
  outcome: WaitOutcome;
}

/** The end of the wait. One that asks a person records who has answered. */
function toAnswer(signal: Delivery, terms: SignalTerms, now: number): Answer {
  const { payload, rejected } = signal;
  const by = nameOf(signal) ?? null;
  const at = iso(now);
  if (rejected) {
    const { reason } = rejected;
    const stored = Buffer.from(JSON.stringify({ approved: false, by, at, ...(reason !== undefined && { reason }) }));
    const message = `rejected by ${by ?? 'the service'}${reason === undefined ? '' : `: ${reason}`}`;
    const outcome = { ...signalOutcome(stored), exit_code: REJECTED_EXIT_CODE, message };
    return { action: 'run.reject', decision: 'rejected', payload: stored, outcome };
  }
  const answered = terms.envelope ? enclose(payload, { by, at }) : payload;
  const verb = terms.approvers === undefined ? 'answered' : 'approved';
  const message = needsPerson(terms) && by !== null ? { message: `${verb} by ${by}` } : {};
  const outcome = { ...signalOutcome(answered), ...message };
  return { action: 'run.approve', decision: 'approved', payload, outcome };
}

/** The payload itself is copied as it was sent, because it may hold numbers that no double has. */
const enclose = (payload: Buffer, by: { by: string | null; at: string | null }): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(by).slice(0, -1)},"payload":`), payload, Buffer.from('}')]);

/** Consumes the oldest queued signal of a name. The run must be locked, and its org's keys ready. */
export async function consumeQueued(
  tx: Transaction,
  sealer: Sealer,
  context: ActivityContext,
  name: string,
  position: number,
  now: number,
): Promise<{ payload: Buffer; by: string | null; at: string } | undefined> {
  const [oldest] = await tx.read<{ seq: number; payload: Buffer; sent_by: string | null; sent_at: number }>(
    `SELECT seq, payload, sent_by, sent_at FROM runs_signals WHERE run_id = ? AND seq = (SELECT MIN(seq) FROM runs_signals
     WHERE run_id = ? AND topic = ? AND state = 'queued')`,
    [context.run_id, context.run_id, signalTopic(name)],
  );
  if (!oldest) return undefined;
  await writeExactly(
    tx,
    1,
    `UPDATE runs_signals SET state = 'taken', taken_at = ?, taken_activity = ?, taken_position = ?
     WHERE run_id = ? AND seq = ? AND state = 'queued'`,
    [now, context.activity_id, position, context.run_id, oldest.seq],
  );
  const payload = sealer.open(sealContext.signal(context, context.run_id, oldest.seq), oldest.payload);
  return { payload, by: oldest.sent_by, at: iso(oldest.sent_at) };
}

/** Hands queued signals to waits of other plugins. */
export function signalQueue(sealer: Sealer, database: Pick<Database, 'now'>): SignalQueue {
  return {
    async take(tx, context, name, position) {
      const taken = await consumeQueued(tx, sealer, context, name, position, database.now());
      return taken && signalOutcome(taken.payload);
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
    kind: WAIT_SIGNAL,
    substate: 'signal',
    signal: (_context: ActivityContext, wait: ArmWait) =>
      needsPerson(termsOf(wait.args)) ? questionQueue(awaitedName(wait)) : awaitedName(wait),
    async tryResolve(tx, context, wait) {
      const terms = termsOf(wait.args);
      if (needsPerson(terms)) return undefined;
      const taken = await consumeQueued(tx, sealer, context, awaitedName(wait), wait.position, now());
      if (!taken) return undefined;
      const { payload, by, at } = taken;
      return signalOutcome(terms.envelope ? enclose(payload, { by, at }) : payload);
    },
    expire: ({ name }) => ({
      exit_code: 124,
      output: Buffer.alloc(0),
      message: `no signal ${name} arrived before the timeout`,
    }),
  };
}
