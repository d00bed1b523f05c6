import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../features/support/process.ts';

const PATIENCE_MS = 60_000;
const OVER = ['succeeded', 'failed', 'cancelled'];

export interface RunView {
  run_id: string;
  status: string;
  output?: Record<string, unknown>;
  error?: { message: string } | null;
  substate?: { kind: string; name: string } | null;
  trigger?: { event?: string };
}

export interface Access {
  token: string;
  org: string;
  project: string;
}

/** What callers saw that they should not have had to see; shared by the clients of a place. */
export interface Complaints {
  /** Answers 503, which were then asked again. */
  busy: number;
}

export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The API of one project as somebody outside uses it, at one server or, while it is dead, at the next of `urls`. */
export class Client {
  readonly #urls: readonly string[];
  readonly #access: Access;
  readonly #complaints: Complaints;

  /** With one url an answer must come from it; with several, a server that does not answer is passed over. */
  constructor(urls: readonly string[], access: Access, complaints: Complaints) {
    this.#urls = urls;
    this.#access = access;
    this.#complaints = complaints;
  }

  in(project: string): Client {
    return new Client(this.#urls, { ...this.#access, project }, this.#complaints);
  }

  async makeProject(): Promise<void> {
    await this.#request('PUT', `/api/v1/orgs/${this.#access.org}/projects/${this.#access.project}`, {});
  }

  /** What is asked again after a 503 or a lost answer needs a key, if it is to happen once. */
  ask<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const { org, project } = this.#access;
    return this.#request(method, `/api/v1/orgs/${org}/projects/${project}/${path}`, body, key);
  }

  async submit(body: Record<string, unknown>, key?: string): Promise<string> {
    const made = await this.ask<{ run_id: string }>('POST', 'runs', { filename: 'cluster.sh', ...body }, key);
    return made.run_id;
  }

  async emit(type: string, payload: unknown, key?: string): Promise<string> {
    return (await this.ask<{ event: string }>('POST', 'events', { type, payload }, key)).event;
  }

  run(run_id: string): Promise<RunView> {
    return this.ask('GET', `runs/${run_id}`);
  }

  async cancel(run_id: string): Promise<void> {
    await this.ask('POST', `runs/${run_id}/cancel`, {}).catch((error: unknown) => {
      // It has ended by itself.
      if (!(error instanceof Refusal && error.status === 409)) throw error;
    });
  }

  /** Every page of a list. */
  async all<T>(path: string, plural: string): Promise<T[]> {
    const found: T[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.ask<{ next_cursor?: string } & Record<string, T[]>>(
        'GET',
        `${path}limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      found.push(...page[plural]!);
      if (page.next_cursor === undefined) return found;
      cursor = page.next_cursor;
    }
  }

  tagged(tag: string): Promise<RunView[]> {
    return this.all(`runs?tag=${encodeURIComponent(tag)}&`, 'runs');
  }

  /** The runs with a tag once all `count` are over; those that are not in time are cancelled and told as hung. */
  async ended(tag: string, count: number, bound_ms = 45_000): Promise<{ runs: RunView[]; hung: string[] }> {
    let runs: RunView[] = [];
    const over = ({ status }: RunView) => OVER.includes(status);
    await until('all to end', bound_ms, async () => {
      runs = await this.tagged(tag);
      return (runs.length >= count && runs.every(over)) || undefined;
    }).catch(() => undefined);
    const open = runs.filter((run) => !over(run));
    for (const { run_id } of open) await this.cancel(run_id);
    const missing = runs.length < count ? [`${count - runs.length} of ${count} runs of ${tag} are not there`] : [];
    return { runs, hung: [...missing, ...open.map((run) => `${run.run_id} (${tag}) hangs: ${run.status}`)] };
  }

  async #request<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const until = Date.now() + PATIENCE_MS;
    for (let turn = 0; ; turn += 1) {
      const url = `${this.#urls[turn % this.#urls.length]}${path}`;
      const answer = await this.#send(method, url, body, key);
      if (answer !== undefined && answer.status !== 503) return read<T>(method, path, answer);
      if (answer !== undefined) this.#complaints.busy += 1;
      else if (this.#urls.length === 1) throw new Error(`${method} ${url}: no answer`);
      if (Date.now() > until) throw new Error(`${method} ${path}: no response within ${PATIENCE_MS} ms`);
      // The others may be down as well.
      await delay(answer === undefined ? 20 : 100);
    }
  }

  async #send(method: string, url: string, body: unknown, key?: string) {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#access.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key !== undefined) headers['idempotency-key'] = key;
    try {
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(url, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      return undefined; // Nobody listens there, or it was killed while it answered.
    }
  }
}

function read<T>(method: string, path: string, { status, text }: { status: number; text: string }): T {
  if (status >= 300) throw new Refusal(status, `${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return (text === '' ? {} : JSON.parse(text)) as T;
}
