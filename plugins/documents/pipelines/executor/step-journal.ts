import { hash } from 'node:crypto';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../../execution/agents/contract.ts';
import { type JournalResult, type PassJournal, PassEnded, type SiteCall } from '../../../execution/replay/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';

type Host = Pick<ActivityHost, 'perform' | 'annotate' | 'hasClaim' | 'masker'>;

/**
 * Serves the verbs that steps of a job call. Nothing is replayed: a repeated job calls again. Every call takes the next
 * free position of the activity's journal. An emit also names its site, so that its event is the same at every attempt.
 */
export class JobJournal {
  readonly #assignment: Pick<Assignment, 'run_id' | 'activity_id'>;
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #ordinals = new Map<string, number>();
  #position: number;
  #annotations = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #step = '';
  #emit_counts = new Map<string, number>();
  #staged: Record<string, unknown> = {};
  #frozen = false;

  constructor(assignment: Assignment, host: Host, clock: Clock, key: string) {
    this.#assignment = assignment;
    this.#host = host;
    this.#clock = clock;
    this.#key = key;
    this.#position = assignment.journal.length;
    for (const { kind, name } of assignment.journal) this.#nextOrdinal(this.#ordinals, `${kind} ${name}`);
  }

  /** An attempt of a step begins: its places are counted from the start. */
  begin(step: string): void {
    this.#step = step;
    this.#emit_counts = new Map();
    this.#staged = {};
  }

  /** Returns what the attempt set with `svc output set`. */
  staged(): Record<string, unknown> {
    return this.#staged;
  }

  /** Rejects all further calls. */
  freeze(): void {
    this.#frozen = true;
  }

  /** Creates the journal of one program. */
  createPassJournal(alive: () => boolean): PassJournal {
    const { run_id, activity_id } = this.#assignment;
    const rejectDurable = () => Promise.reject(new Error('steps of a job have no durable calls'));
    return {
      run_id,
      activity_id,
      job: activity_id,
      mask: (name) => this.#host.masker.text(name),
      masks: !this.#host.masker.idle,
      durable: rejectDurable,
      wait: rejectDurable,
      perform: (site, args) => this.#serialize(() => this.#perform(site, args, alive)),
      stageOutput: (values) => void Object.assign(this.#staged, values),
      annotate: (text) => this.#host.annotate(this.#annotations++, text),
    };
  }

  async #perform(site: SiteCall, input: unknown, alive: () => boolean): Promise<JournalResult> {
    if (this.#frozen || !alive() || this.#host.hasClaim?.() === false) throw new PassEnded();
    const values: unknown = typeof input === 'function' ? await (input as () => unknown)() : input;
    const args = site.kind === 'emit' ? { ...(values as object), site: this.#emitSite(site.name) } : values;
    const { kind, digest = '', label } = site;
    const name = site.public_name ? site.name : this.#host.masker.text(site.name);
    const call = {
      position: this.#position,
      kind,
      name,
      digest,
      label,
      ordinal: this.#ordinals.get(`${kind} ${name}`) ?? 0,
      args: args as Json,
      started_at: this.#clock.now(),
    };
    const record = await this.#host.perform(call);
    this.#position += 1;
    this.#nextOrdinal(this.#ordinals, `${kind} ${name}`);
    return { record, replayed: false };
  }

  /** The job, the step, the type and how often the attempt has emitted it. */
  #emitSite(type: string): string {
    const nth = this.#nextOrdinal(this.#emit_counts, type);
    return hash('sha256', JSON.stringify([this.#key, this.#step, type, nth]), 'hex');
  }

  #nextOrdinal(counts: Map<string, number>, name: string): number {
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return nth;
  }

  /** Calls of one job take their positions one at a time. */
  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const pending = this.#queue.then(work, work);
    this.#queue = pending.catch(() => undefined);
    return pending;
  }
}
