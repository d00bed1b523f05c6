import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import { type JournalAnswer, type PassJournal, PassOver, type SiteCall } from '../../replay/contract.ts';
import type { Json } from '../../runs/contract.ts';

type Host = Pick<ActivityHost, 'perform' | 'annotate' | 'held' | 'masker'>;

/**
 * Verbs of the steps of a job. Nothing is replayed: a job that is repeated calls again. Every call takes the next free
 * position of the activity's journal; an emit also names its place, so that its event is the same at every attempt.
 */
export class JobJournal {
  readonly #assignment: Pick<Assignment, 'run_id' | 'activity_id'>;
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #ordinals = new Map<string, number>();
  #position: number;
  #notes = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #step = '';
  #places = new Map<string, number>();
  #staged: Record<string, unknown> = {};
  #over = false;

  constructor(assignment: Assignment, host: Host, clock: Clock, key: string) {
    this.#assignment = assignment;
    this.#host = host;
    this.#clock = clock;
    this.#key = key;
    this.#position = assignment.journal.length;
    for (const { kind, name } of assignment.journal) this.#nth(this.#ordinals, `${kind} ${name}`);
  }

  /** An attempt of a step begins: its places are counted from the start. */
  begin(step: string): void {
    this.#step = step;
    this.#places = new Map();
    this.#staged = {};
  }

  /** What the attempt put out with `svc output set`. */
  staged(): Record<string, unknown> {
    return this.#staged;
  }

  /** From now on nothing is recorded. */
  freeze(): void {
    this.#over = true;
  }

  /** The journal of one caller. */
  for(alive: () => boolean): PassJournal {
    const { run_id, activity_id } = this.#assignment;
    const scriptsOnly = () => Promise.reject(new Error('steps of a job have no durable calls'));
    return {
      run_id,
      activity_id,
      job: activity_id,
      mask: (name) => this.#host.masker.text(name),
      durable: scriptsOnly,
      wait: scriptsOnly,
      perform: (site, args) => this.#inTurn(() => this.#perform(site, args, alive)),
      stageOutput: (values) => void Object.assign(this.#staged, values),
      annotate: (text) => this.#host.annotate(this.#notes++, text),
    };
  }

  async #perform(site: SiteCall, given: unknown, alive: () => boolean): Promise<JournalAnswer> {
    if (this.#over || !alive() || this.#host.held?.() === false) throw new PassOver();
    const values: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
    const args = site.kind === 'emit' ? { ...(values as object), site: this.#place(site.name) } : values;
    const { kind, digest = '', label } = site;
    const name = site.public_name ? site.name : this.#host.masker.text(site.name);
    const call = {
      ...{ position: this.#position, kind, name, digest, label },
      ordinal: this.#ordinals.get(`${kind} ${name}`) ?? 0,
      args: args as Json,
      started_at: this.#clock.now(),
    };
    const record = await this.#host.perform(call);
    this.#position += 1;
    this.#nth(this.#ordinals, `${kind} ${name}`);
    return { record, replayed: false };
  }

  /** The job, the step, the type and how often the attempt has emitted it. */
  #place(type: string): string {
    const nth = this.#nth(this.#places, type);
    return hash('sha256', JSON.stringify([this.#key, this.#step, type, nth]), 'hex');
  }

  #nth(counts: Map<string, number>, name: string): number {
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return nth;
  }

  /** Calls of one job take their positions one at a time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined);
    return turn;
  }
}
