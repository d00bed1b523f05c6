import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { askPatiently } from './patient-api.ts';
import { echo, type Workload } from './script.ts';

const ENDED = ['succeeded', 'failed', 'cancelled'];

interface StepView {
  position: number;
  site: string;
  kind: string;
  stdout?: string;
  status: string;
  activity?: string;
}

interface PausedView {
  status: string;
  paused?: object;
  claims?: readonly unknown[];
}

/** The run under attack, seen over HTTP; whoever asks has patience, for servers come and go. */
export class CrashRun {
  run_id = '';
  readonly #target: Target;
  readonly #work: Workload;
  readonly #key: string;
  readonly #sent = new Set<string>();
  /** What a paused run has started all the same. */
  readonly #unpaused: string[] = [];

  /** `key` makes the submit one run however often it is sent. */
  constructor(target: Target, work: Workload, key = 'crash') {
    this.#target = target;
    this.#work = work;
    this.#key = key;
  }

  get source(): string {
    const { submission } = this.#work;
    return 'source' in submission ? submission.source : '';
  }

  get length(): number {
    return this.#work.sites.length;
  }

  async submit(): Promise<void> {
    const { submission, ledger } = this.#work;
    await this.#ask('PUT', '/handlers/echo', echo(ledger));
    const body = { ...submission, idempotency_key: this.#key };
    const made = await this.#ask<{ run_id: string }>('POST', '/runs', body);
    this.run_id = made.run_id;
  }

  /** Waits until so many steps are recorded. It gets no signal beyond them, so that it cannot outrun the strikes. */
  async advance(steps: number): Promise<void> {
    await until(`${steps} records`, 180_000, async () => {
      if ((await this.#steps()).length >= steps || (await this.hasEnded())) return true;
      await this.signal();
      return undefined;
    });
  }

  async hasEnded(): Promise<boolean> {
    const { status } = await this.#ask<{ status: string }>('GET', `/runs/${this.run_id}`);
    return ENDED.includes(status);
  }

  async end(): Promise<string> {
    await until('the end of the run', 180_000, async () => {
      await this.signal();
      return (await this.hasEnded()) || undefined;
    });
    const { status, error } = await this.#ask<{ status: string; error?: { message: string } }>(
      'GET',
      `/runs/${this.run_id}`,
    );
    return error ? `${status}: ${error.message}` : status;
  }

  /** Every site once, in order, and nothing else. */
  async violations(): Promise<string[]> {
    const sites = (await this.#steps()).map(({ site }) => site);
    const wanted = this.#work.sites;
    const wrong = wanted.findIndex((site, index) => sites[index] !== site);
    if (wrong < 0 && sites.length === wanted.length) return this.#unpaused;
    return [
      ...this.#unpaused,
      `recorded ${sites.length} of ${wanted.length}; at ${wrong}: ${sites[wrong]} instead of ${wanted[wrong]}`,
    ];
  }

  /** A signal is sent once, when the run waits for it: a second one would stay in the queue. */
  async signal(): Promise<void> {
    const { substate } = await this.#ask<{ substate?: { kind: string; name: string } | null }>(
      'GET',
      `/runs/${this.run_id}`,
    );
    if (!substate || !['signal', 'event', 'any'].includes(substate.kind)) return;
    // The first of several things that it waits for is a signal.
    const kind = substate.kind === 'event' ? 'event' : 'signal';
    const name = substate.name.replace(/^signal:(\S+) .*/, '$1');
    if (this.#sent.has(name)) return;
    this.#sent.add(name);
    const payload = { n: Number(name.slice(name.lastIndexOf('-') + 1)) };
    // With a key, so that a repeat after a lost answer is no second one.
    const key = `${this.run_id} ${name}`;
    if (kind === 'signal') await this.#ask('POST', `/runs/${this.run_id}/signals/${name}`, payload, key);
    else await this.#ask('POST', '/events', { type: name, payload }, key);
    if (this.#sent.size % 2 === 0) await this.#pauseAndResume();
  }

  /** Once no agent works on a paused run, nothing more of it is recorded. */
  async #pauseAndResume(): Promise<void> {
    await this.#change('pause');
    const idle = await until('a paused run to be left by its agent', 180_000, async () => {
      const { status, paused, claims = [] } = await this.#ask<PausedView>('GET', `/runs/${this.run_id}`);
      if (ENDED.includes(status)) return { ended: true };
      return paused && claims.length === 0 ? { ended: false } : undefined;
    });
    if (idle.ended) return;
    const before = (await this.#steps()).length;
    await new Promise((done) => setTimeout(done, 50));
    const after = await this.#steps();
    // A timer that ends is recorded, as is an event; nothing that the script does is.
    const started = after
      .slice(before)
      .filter(({ kind }) => !['sleep', 'wait-signal', 'wait-event', 'wait-any', 'lock'].includes(kind));
    for (const { site } of started) this.#unpaused.push(`${site} was recorded while the run was paused`);
    await this.#change('resume');
  }

  async #change(verb: 'pause' | 'resume'): Promise<void> {
    await this.#ask('POST', `/runs/${this.run_id}/${verb}`).catch((error: Error) => {
      if (!error.message.includes('run_finished')) throw error;
    });
  }

  /** Each emit is one event, each event one handler run, and each of those does its work. */
  async handlerViolations(): Promise<string[]> {
    const emits = this.#work.ticks.length;
    const emitting = (await this.#steps()).filter(({ kind }) => kind === 'emit');
    const emitted = new Set(emitting.map(({ stdout = '' }) => stdout.trim()));
    const runs = await until('the end of all handler runs', 180_000, async () => {
      const found = await this.#all<{ status: string; trigger: { event: string } }>('runs', '/runs?workflow=echo.sh');
      const own = found.filter(({ trigger }) => emitted.has(trigger.event));
      return own.length >= emits && own.every(({ status }) => ENDED.includes(status)) ? own : undefined;
    });
    const events = new Set(runs.map(({ trigger }) => trigger.event));
    const failed = runs.filter(({ status }) => status !== 'succeeded').length;
    return [
      ...(emitted.size === emits ? [] : [`${emitted.size} events of ${emits} emits`]),
      ...(runs.length === emits && events.size === emits ? [] : [`${runs.length} handler runs of ${emits} emits`]),
      ...(failed === 0 ? [] : [`${failed} handler runs did not succeed`]),
    ];
  }

  async #steps(): Promise<StepView[]> {
    const steps = await this.#all<StepView>('steps', `/runs/${this.run_id}/steps?`);
    // What a wait for the first of several consists of has records of its own.
    return steps.filter(({ status, activity = '' }) => status === 'recorded' && !/^(signal|event):/.test(activity));
  }

  /** Every page of a list. */
  async #all<T>(member: string, path: string): Promise<T[]> {
    const found: T[] = [];
    let cursor = '';
    do {
      const page = await this.#ask<{ next_cursor?: string } & Record<string, T[]>>(
        'GET',
        `${path.includes('?') ? path : `${path}?`}&limit=200${cursor}`,
      );
      found.push(...page[member]!);
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return found;
  }

  #ask<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    return askPatiently(this.#target, method, path, body, key);
  }
}
