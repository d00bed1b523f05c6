import { Errors } from '../../../../kernel/contracts/index.ts';
import { compile } from '../../../platform/schema/contract.ts';
import {
  type Appended,
  type Attempted,
  type Capabilities,
  type Claimed,
  type ClaimRef,
  type Completion,
  type FailedAttempt,
  type JournalRecord,
  journalRecordSchema,
  type LogChunk,
  type RunStore,
  type SlotUse,
} from '../../../engine/runs/contract.ts';
import { leaseLost } from '../errors.ts';

interface Activity {
  activity_id: string;
  requires: readonly string[];
  state: 'pending' | 'claimed' | 'parked' | 'done' | 'failed';
  epoch: number;
  holder: string | undefined;
  deadline: number;
  journal: JournalRecord[];
  logs: LogChunk[];
  attempts: FailedAttempt[];
  completion: Completion | undefined;
}

const unused = () => Promise.reject(new Error('not part of this test'));

/** The engine's rules for claims, in arrays: epochs, deadlines and the fence, but no database. */
export class MemoryStore implements RunStore {
  readonly activities = new Map<string, Activity>();
  /** Every call as `method`, in order. */
  readonly calls: string[] = [];
  /** While set, throws instead of returning. */
  failure: Error | undefined;

  add(activity_id: string, requires: readonly string[] = [], journal: JournalRecord[] = []): void {
    const none = { holder: undefined, deadline: 0, completion: undefined, attempts: [] };
    this.activities.set(activity_id, { activity_id, requires, state: 'pending', epoch: 0, journal, logs: [], ...none });
  }

  get(activity_id: string): Activity {
    return this.activities.get(activity_id)!;
  }

  count(state: Activity['state']): number {
    return [...this.activities.values()].filter((activity) => activity.state === state).length;
  }

  async claim(by: Capabilities, limit: number, lease_ms: number): Promise<Claimed[]> {
    this.#enter('claim');
    const fitting = [...this.activities.values()].filter(
      ({ state, requires }) => state === 'pending' && requires.every((one) => by.capabilities.includes(one)),
    );
    const mine: Activity[] = [];
    for (const one of fitting)
      if (mine.length < limit && (by.slots?.take(useOf(one.activity_id)) ?? true)) mine.push(one);
    for (const activity of mine)
      Object.assign(activity, {
        state: 'claimed',
        epoch: activity.epoch + 1,
        holder: by.agent_id,
        deadline: performance.now() + lease_ms,
      });
    return mine.map((activity) => claimedOf(activity));
  }

  async slotUsesOf(activity_ids: readonly string[]): Promise<ReadonlyMap<string, SlotUse>> {
    const known = activity_ids.filter((activity_id) => this.activities.has(activity_id));
    return new Map(known.map((activity_id) => [activity_id, useOf(activity_id)]));
  }

  async renew(agent_id: string, claims: readonly ClaimRef[], lease_ms: number): Promise<{ lost: ClaimRef[] }> {
    this.#enter('renew');
    const lost = claims.filter((claim) => !this.#holds(claim, agent_id));
    for (const claim of claims)
      if (!lost.includes(claim)) this.get(claim.activity_id).deadline = performance.now() + lease_ms;
    return { lost };
  }

  async append(claim: ClaimRef, record: JournalRecord): Promise<Appended> {
    const { journal } = this.#fenced('append', claim);
    if (compile(journalRecordSchema)(record).length > 0) throw Errors.invalidRequest('this is no journal record');
    const known = journal[record.position];
    if (known && JSON.stringify(known) !== JSON.stringify(record)) throw new Error('another record is there');
    journal[record.position] = record;
    return {};
  }

  async perform(claim: ClaimRef, call: Parameters<RunStore['perform']>[1]): Promise<JournalRecord> {
    const { journal } = this.#fenced('perform', claim);
    const { args, ...site } = call;
    journal[call.position] ??= { ...site, exit_code: 0, output: Buffer.from(JSON.stringify(args)).toString('base64') };
    return journal[call.position]!;
  }

  async park(claim: ClaimRef): Promise<{ parked: true }> {
    this.#fenced('park', claim).state = 'parked';
    return { parked: true };
  }

  async attempt(claim: ClaimRef, failed: FailedAttempt): Promise<Attempted> {
    const activity = this.#fenced('attempt', claim);
    activity.attempts.push(failed);
    if (!failed.park) return { kept: true };
    activity.state = 'parked';
    return { parked: true };
  }

  async complete(claim: ClaimRef, completion: Completion): Promise<void> {
    const activity = this.#fenced('complete', claim);
    activity.state = completion.status === 'succeeded' ? 'done' : 'failed';
    activity.completion = completion;
  }

  async release(claim: ClaimRef): Promise<void> {
    this.#fenced('release', claim).state = 'pending';
  }

  async releaseAllBut(agent_id: string, holding: readonly ClaimRef[]): Promise<number> {
    this.#enter('releaseAllBut');
    const kept = new Set(holding.map((claim) => `${claim.activity_id} ${claim.epoch}`));
    const given = [...this.activities.values()].filter(
      ({ state, holder, activity_id, epoch }) =>
        state === 'claimed' && holder === agent_id && !kept.has(`${activity_id} ${epoch}`),
    );
    for (const activity of given) activity.state = 'pending';
    return given.length;
  }

  async expireClaims(): Promise<number> {
    const late = [...this.activities.values()].filter(
      ({ state, deadline }) => state === 'claimed' && deadline < performance.now(),
    );
    for (const activity of late) activity.state = 'pending';
    return late.length;
  }

  async removeIdleLanes(): Promise<number> {
    return 0;
  }

  async annotate(claim: ClaimRef): Promise<void> {
    this.#fenced('annotate', claim);
  }

  async appendLogs(claim: ClaimRef, chunks: readonly LogChunk[]): Promise<void> {
    const { logs } = this.#fenced('logs', claim);
    for (const chunk of chunks) logs[chunk.n] ??= chunk;
  }

  createRun = unused;
  findSubmitted = unused;
  sendSignal = unused;
  cancelRun = unused;
  pauseRun = unused;
  resumeRun = unused;
  resolveDue = unused;
  endOverdue = unused;

  #enter(method: string): void {
    this.calls.push(method);
    if (this.failure) throw this.failure;
  }

  #holds(claim: ClaimRef, agent_id?: string): boolean {
    const activity = this.activities.get(claim.activity_id);
    if (activity?.state !== 'claimed' || activity.epoch !== claim.epoch) return false;
    return agent_id === undefined || activity.holder === agent_id;
  }

  #fenced(method: string, claim: ClaimRef): Activity {
    this.#enter(method);
    if (!this.#holds(claim)) throw leaseLost(`claim ${claim.epoch} of ${claim.activity_id} has ended`);
    return this.get(claim.activity_id);
  }
}

const useOf = (activity_id: string): SlotUse => ({
  ...{ activity_id, run_id: `run_${activity_id}`, org_id: 'org_1', project_id: 'prj_1', trusted: true },
});

function claimedOf({ activity_id, epoch, journal }: Activity): Claimed {
  return {
    activity_id,
    epoch,
    run_id: `run_${activity_id}`,
    org_id: 'org_1',
    project_id: 'prj_1',
    org: 'acme',
    project: 'main',
    executor: 'test',
    name: 'main',
    pass: epoch - 1,
    spec: null,
    envelope: { type: 'manual' },
    trusted: true,
    journal: [...journal],
  };
}
