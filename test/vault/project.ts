import { join } from 'node:path';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';

const SCOPED = '/api/v1/orgs/conformance/projects/main';

interface ShownRun {
  run_id: string;
  status: string;
  tags: string[];
  substate?: { kind: string; name: string };
}

/** The project of a target that was started here, over HTTP. */
export class Project {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  get sqlite_url(): string {
    return `sqlite:${join(this.#target.own!.folder, 'svc.db')}`;
  }

  async ask(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.#target.base_url}${SCOPED}/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#target.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  async submit(run: object): Promise<string> {
    return (JSON.parse(await this.ask('POST', 'runs', run)) as ShownRun).run_id;
  }

  async runs(): Promise<ShownRun[]> {
    return (JSON.parse(await this.ask('GET', 'runs')) as { runs: ShownRun[] }).runs;
  }

  log(run_id: string): Promise<string> {
    return this.ask('GET', `runs/${run_id}/logs`);
  }

  async waitsFor(run_id: string, name: string): Promise<void> {
    await until(`run ${run_id} to wait for ${name}`, 120_000, async () => {
      const text = await this.ask('GET', `runs/${run_id}`);
      const { status, substate } = JSON.parse(text) as ShownRun;
      if (status === 'failed') throw new Error(text);
      return substate?.name === name || undefined;
    });
  }

  /** When every run of the project is over. */
  async rests(): Promise<void> {
    await until('every run to be over', 120_000, async () => {
      const over = ['succeeded', 'failed', 'cancelled'];
      return (await this.runs()).every(({ status }) => over.includes(status)) || undefined;
    });
  }
}
