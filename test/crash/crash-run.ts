import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import type { Workload } from './script.ts';

interface StepView {
  position: number;
  site: string;
  status: string;
}

/** The run under attack, seen over HTTP; whoever asks has patience, for servers come and go. */
export class CrashRun {
  run_id = '';
  readonly #target: Target;
  readonly #work: Workload;
  readonly #key: string;
  readonly #sent = new Set<string>();

  /** `key` makes the submit one run however often it is sent. */
  constructor(target: Target, work: Workload, key = 'crash') {
    this.#target = target;
    this.#work = work;
    this.#key = key;
  }

  get length(): number {
    return this.#work.sites.length;
  }

  async submit(): Promise<void> {
    const { filename, source } = this.#work;
    const made = await this.#ask<{ run_id: string }>('POST', '/runs', { filename, source, idempotency_key: this.#key });
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
    return ['succeeded', 'failed', 'cancelled'].includes(status);
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
    if (wrong < 0 && sites.length === wanted.length) return [];
    return [`recorded ${sites.length} of ${wanted.length}; at ${wrong}: ${sites[wrong]} instead of ${wanted[wrong]}`];
  }

  /** A signal is sent once, when the run waits for it: a second one would stay in the queue. */
  async signal(): Promise<void> {
    const { substate } = await this.#ask<{ substate?: { kind: string; name: string } | null }>(
      'GET',
      `/runs/${this.run_id}`,
    );
    if (substate?.kind !== 'signal' || this.#sent.has(substate.name)) return;
    this.#sent.add(substate.name);
    await this.#ask('POST', `/runs/${this.run_id}/signals/${substate.name}`, { n: Number(substate.name.slice(3)) });
  }

  async #steps(): Promise<StepView[]> {
    const steps: StepView[] = [];
    let cursor = '';
    do {
      const page = await this.#ask<{ steps: StepView[]; next_cursor?: string }>(
        'GET',
        `/runs/${this.run_id}/steps?limit=200${cursor}`,
      );
      steps.push(...page.steps.filter(({ status }) => status === 'recorded'));
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return steps;
  }

  #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { base_url, org, token } = this.#target;
    return until(`${method} ${path}`, 60_000, async () => {
      const response = await fetch(`${base_url}/api/v1/orgs/${org}/projects/main${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch(() => undefined); // Nobody listens there right now.
      if (!response || response.status === 503) return undefined;
      const text = await response.text().catch(() => undefined); // It was killed while it answered.
      if (text === undefined) return undefined;
      // The answer to a signal died with its server, the run took it and ended: the repeat comes too late.
      if (response.status === 409 && text.includes('run_finished')) return {} as T;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? {} : JSON.parse(text)) as T;
    });
  }
}
