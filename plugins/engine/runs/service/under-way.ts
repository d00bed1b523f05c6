import {
  type Clock,
  type Database,
  type Log,
  type Queries,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { CallUnderWay, ClaimRef, TellingAgent, ToldCall, UnderWay, Wakeups } from '../contract.ts';
import type { ActivityOwner, ActivityOwners } from '../store/rows/activities.ts';
import {
  type NamedInFlightCall,
  type InFlightCall,
  readInFlight,
  removeInFlight,
  writeInFlight,
} from '../store/journal/report.ts';

/** A call that lasts this long is stored, so that other servers show it too. */
const LASTS_MS = 10_000;
/** Written, or removed, in one transaction. */
const BATCH = 128;
/** More than agents of one server carry out at a time; what goes beyond is not shown. */
const MAX_CALLS = 20_000;
/** The loop polls nothing: each report wakes it. */
const POLL = { min_ms: 60_000, max_ms: 60_000 };

interface Known extends TellingAgent {
  claim: ClaimRef;
  call: CallUnderWay;
  since: number;
  owner: ActivityOwner;
  /** Its row, from when it is on its way to the database. */
  row?: InFlightCall;
  /** The row is there. */
  written: boolean;
}

export interface InFlightCallsDeps {
  database: Database;
  owners: Pick<ActivityOwners, 'find'>;
  wakeups: Pick<Wakeups, 'run'>;
  clock: Clock;
  log: Log;
}

/** What agents of this server carry out: in memory, and in the database once it lasts. */
export class CallsUnderWay implements UnderWay {
  readonly #deps: InFlightCallsDeps;
  readonly #loop: WorkLoop;
  /** By activity: each does one thing at a time. */
  readonly #known = new Map<string, Known>();
  readonly #runs = new Map<string, Map<string, Known>>();
  /** The newest word of each activity whose run is being looked up. */
  readonly #newest = new Map<string, ToldCall>();
  /** Rows of calls that are over. */
  readonly #over: InFlightCall[] = [];

  constructor(deps: InFlightCallsDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    const says = {
      failing: 'storing calls in progress failed; retrying',
      recovered: 'calls in progress are stored again',
    };
    this.#loop = new WorkLoop({ clock, log, poll: POLL, messages: says, iterate: () => this.#round() });
  }

  start(): () => Promise<void> {
    return this.#loop.start();
  }

  get size(): number {
    return this.#known.size;
  }

  async tell(agent: TellingAgent, told: readonly ToldCall[]): Promise<void> {
    this.forget(told.map(({ claim }) => claim));
    const begun = told.filter(({ call }) => call !== undefined);
    for (const one of begun) this.#newest.set(one.claim.activity_id, one);
    let failure: unknown;
    for (const one of begun) await this.#begin(agent, one).catch((error: unknown) => (failure ??= error));
    if (failure !== undefined) throw failure;
  }

  forget(claims: readonly ClaimRef[]): void {
    for (const { activity_id, epoch } of claims) {
      if (this.#newest.get(activity_id)?.claim.epoch === epoch) this.#newest.delete(activity_id);
      const known = this.#known.get(activity_id);
      if (known?.claim.epoch === epoch) this.#remove(known);
    }
  }

  /** Returns the calls in progress of a run, whichever server they were reported to. */
  of(on: Pick<Queries, 'read'>, run_id: string): Promise<NamedInFlightCall[]> {
    const told = [...(this.#runs.get(run_id)?.values() ?? [])].map(placed);
    return readInFlight(on, run_id, new Map(told.map((call) => [call.activity_id, call])));
  }

  async #begin({ agent_id, name }: TellingAgent, told: ToldCall): Promise<void> {
    const { claim } = told;
    const { database, owners } = this.#deps;
    const { for_ms, ...call } = told.call!;
    const since = Math.round(database.now() - for_ms);
    try {
      const owner = await owners.find(claim.activity_id);
      // Something newer may have been told meanwhile, or the claim may be over.
      if (this.#newest.get(claim.activity_id) !== told) return;
      this.#add({ agent_id, name, claim, call, since, owner, written: false });
      this.#loop.wake(Math.max(0, LASTS_MS - for_ms));
    } finally {
      if (this.#newest.get(claim.activity_id) === told) this.#newest.delete(claim.activity_id);
    }
  }

  #add(known: Known): void {
    const { activity_id, epoch } = known.claim;
    const before = this.#known.get(activity_id);
    if (before && before.claim.epoch > epoch) return;
    if (before) this.#remove(before);
    if (this.#known.size >= MAX_CALLS) return;
    const { run_id } = known.owner;
    this.#known.set(activity_id, known);
    const run = this.#runs.get(run_id) ?? new Map<string, Known>();
    this.#runs.set(run_id, run.set(activity_id, known));
    this.#wake(known);
  }

  #remove(known: Known): void {
    const { activity_id } = known.claim;
    const { run_id } = known.owner;
    this.#known.delete(activity_id);
    const run = this.#runs.get(run_id);
    run?.delete(activity_id);
    if (run?.size === 0) this.#runs.delete(run_id);
    if (known.row) {
      this.#over.push(known.row);
      this.#loop.wake();
    }
    this.#wake(known);
  }

  #wake({ owner }: Known): void {
    this.#deps.wakeups.run(owner.run_id, { project_id: owner.project_id, part: 'steps' });
  }

  async #round(): Promise<IterationResult> {
    const removed = await this.#clean();
    const now = this.#deps.database.now();
    const unwritten = [...this.#known.values()].filter(({ written }) => !written);
    const due = unwritten.filter(({ since }) => now - since >= LASTS_MS);
    if (due.length > 0) await this.#write(due.slice(0, BATCH));
    const young = unwritten.flatMap(({ since }) => (now - since >= LASTS_MS ? [] : [since + LASTS_MS - now]));
    const again = due.length > BATCH || this.#over.length > 0;
    return { processed: removed + due.length, hasMore: again, ...(young.length > 0 && { due_ms: Math.min(...young) }) };
  }

  async #clean(): Promise<number> {
    const over = this.#over.slice(0, BATCH);
    if (over.length === 0) return 0;
    await removeInFlight(this.#deps.database, over);
    this.#over.splice(0, over.length);
    return over.length;
  }

  /** The row of one that ends meanwhile is removed in the next round, whatever became of it. */
  async #write(due: readonly Known[]): Promise<void> {
    const rows = due.map((known) => (known.row = placed(known)));
    await writeInFlight(this.#deps.database, rows);
    for (const known of due) {
      known.written = true;
      this.#wake(known);
    }
  }
}

const placed = ({ claim, owner, call, since, agent_id, name }: Known): InFlightCall => ({
  ...{ ...claim, run_id: owner.run_id, call, since, agent_id, name },
});
