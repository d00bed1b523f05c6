import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { until } from '../../features/support/process.ts';

export interface Submit {
  source: string;
  filename?: string;
  input?: unknown;
  requires?: readonly string[];
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** The service as its callers see it, over kept connections. */
export class Api {
  readonly url: string;
  readonly #token: string;
  readonly #org: string;
  readonly #scoped: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });

  constructor(url: string, token: string, org: string, project: string) {
    this.url = url;
    this.#token = token;
    this.#org = org;
    this.#scoped = `/api/v1/orgs/${org}/projects/${project}`;
  }

  async submit({ filename = 'bench.sh', ...body }: Submit): Promise<string> {
    return this.begin({ filename, ...body });
  }

  /** Submits any body and answers the id of its run, which goes on. */
  async begin(body: Record<string, unknown>): Promise<string> {
    return String(expect(await this.#ask('POST', `${this.#scoped}/runs`, body), 201).run_id);
  }

  /** Submits any body and answers the record of the run when it is over. */
  async runToEnd(body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const run = expect(await this.#ask('POST', `${this.#scoped}/runs?wait=60s`, body), 201);
    if (run.status !== 'succeeded')
      throw new Error(`${String(run.run_id)} has ${String(run.status)}: ${JSON.stringify(run.error)}`);
    return run;
  }

  async signal(run_id: string, name: string): Promise<void> {
    const answer = await this.#ask('POST', `${this.#scoped}/runs/${run_id}/signals/${name}`, null);
    expect(answer, 202);
  }

  /** Answers the id of the event. */
  async emit(type: string, payload: unknown = null): Promise<string> {
    return String(expect(await this.#ask('POST', `${this.#scoped}/events`, { type, payload }), 201).event);
  }

  async setHandler(name: string, on: readonly string[], more: Record<string, unknown>): Promise<void> {
    const body = { on, filename: 'bench.sh', source: 'true', ...more };
    expect(await this.#ask('PUT', `${this.#scoped}/handlers/${name}`, body), 200, 201);
  }

  async cancel(run_id: string): Promise<void> {
    expect(await this.#ask('POST', `${this.#scoped}/runs/${run_id}/cancel`, {}), 200, 202);
  }

  /** True if the index of runs has every run that has ended. */
  async isIndexComplete(): Promise<boolean> {
    const answer = expect(await this.#ask('GET', `${this.#scoped}/runs?step=none&limit=1`), 200);
    return (answer.search as { complete: boolean }).complete;
  }

  async status(run_id: string): Promise<string> {
    return String(expect(await this.#ask('GET', `${this.#scoped}/runs/${run_id}`), 200).status);
  }

  /** Seconds from the first submit of these finished runs to the last end, by the server's own record. */
  async secondsOf(run_ids: readonly string[]): Promise<number> {
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for (const run_id of run_ids) {
      const run = expect(await this.#ask('GET', `${this.#scoped}/runs/${run_id}`), 200);
      first = Math.min(first, Date.parse(String(run.created_at)));
      last = Math.max(last, Date.parse(String(run.finished_at)));
    }
    return (last - first) / 1000;
  }

  /** Resolves once a run has the status; throws when it ends with another one. */
  async reaches(run_id: string, wanted: string, bound_ms = 120_000): Promise<void> {
    await until(`${run_id} to be ${wanted}`, bound_ms, async () => {
      const status = await this.status(run_id);
      if (status === wanted) return true;
      if (['succeeded', 'failed', 'cancelled'].includes(status)) {
        const { body } = await this.#ask('GET', `${this.#scoped}/runs/${run_id}`);
        throw new Error(`${run_id} has ${status} instead: ${JSON.stringify(body.error)}`);
      }
      return undefined;
    });
  }

  /** The record of a run. */
  async run(run_id: string): Promise<Record<string, unknown>> {
    return expect(await this.#ask('GET', `${this.#scoped}/runs/${run_id}`), 200);
  }

  /** The record of a run when it is over. */
  async whenOver(run_id: string): Promise<Record<string, unknown>> {
    return expect(await this.#ask('GET', `${this.#scoped}/runs/${run_id}?wait=60s`), 200);
  }

  /** A request that is answered when a run is over. */
  waitFor(run_id: string): { url: URL; headers: Record<string, string> } {
    const url = new URL(`${this.#scoped}/runs/${run_id}?wait=10m`, this.url);
    return { url, headers: { authorization: `Bearer ${this.#token}` } };
  }

  /** How many durable calls a run has on record. */
  steps(run_id: string): Promise<number> {
    return this.#listed(`runs/${run_id}/steps?limit=200`, 'steps');
  }

  /** How many runs have a status. */
  count(status: string): Promise<number> {
    return this.#listed(`runs?limit=200&status=${status}`, 'runs');
  }

  async #listed(path: string, plural: string): Promise<number> {
    let count = 0;
    let cursor = '';
    do {
      const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const body = expect(await this.#ask('GET', `${this.#scoped}/${path}${more}`), 200);
      count += (body[plural] as unknown[]).length;
      cursor = String(body.next_cursor ?? '');
    } while (cursor !== '');
    return count;
  }

  async logBytes(run_id: string): Promise<number> {
    const { status, text } = await this.#send('GET', `${this.#scoped}/runs/${run_id}/logs`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return Buffer.byteLength(text);
  }

  /** Followers of a log, of whom each second one never reads what it gets. Answers what ends them. */
  follow(run_id: string, count: number): () => void {
    const path = new URL(`${this.#scoped}/runs/${run_id}/logs?follow=true`, this.url);
    const headers = { authorization: `Bearer ${this.#token}`, accept: 'text/event-stream' };
    const open = Array.from({ length: count }, (_, n) => {
      const sent = request(path, { agent: false, headers }, (response) => {
        if (n % 2 === 0) response.resume();
      });
      // It is cut off while an answer is under way.
      sent.on('error', () => undefined);
      sent.end();
      return sent;
    });
    return () => {
      for (const one of open) one.destroy();
    };
  }

  async setSecret(name: string, value: string): Promise<void> {
    expect(await this.#ask('PUT', `${this.#scoped}/secrets/${name}`, { value }), 200, 201);
  }

  async removeSecret(name: string): Promise<void> {
    expect(await this.#ask('DELETE', `${this.#scoped}/secrets/${name}`), 204);
  }

  async agentToken(name: string): Promise<string> {
    const body = { name, kind: 'agent', org: this.#org };
    return String(expect(await this.#ask('POST', '/api/v1/tokens', body), 201).token);
  }

  async agentsOnline(): Promise<number> {
    const { agents } = expect(await this.#ask('GET', '/api/v1/agents'), 200) as { agents: { state: string }[] };
    return agents.filter(({ state }) => state === 'online').length;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.#send(method, path, body);
    return { status: answer.status, body: answer.text === '' ? {} : JSON.parse(answer.text) };
  }

  async #send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const sent = request(new URL(path, this.url), {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, text: await text(response) };
  }
}

function expect(answer: Answer, ...statuses: number[]): Record<string, unknown> {
  if (statuses.includes(answer.status)) return answer.body;
  throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
}
