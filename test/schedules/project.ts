import type { Target } from '../../features/support/target.ts';

export interface TickEvent {
  event: string;
  payload: { schedule: string; due: string; missed?: boolean };
}

/** What somebody outside sees of a project. */
export class Project {
  readonly #target: Target;
  readonly #scoped: string;

  constructor(target: Target) {
    this.#target = target;
    this.#scoped = `/api/v1/orgs/${target.org}/projects/main`;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${this.#target.base_url}${this.#scoped}/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#target.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async all<T>(path: string, plural: string): Promise<T[]> {
    const found: T[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.ask('GET', `${path}limit=200${cursor}`);
      found.push(...page[plural]);
      if (page.next_cursor === undefined) return found;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  async ticks(): Promise<TickEvent[]> {
    const events = await this.all<{ event: string }>('events?type=schedule.tick&', 'events');
    return Promise.all(events.map(({ event }) => this.ask('GET', `events/${event}`)));
  }

  async tickCount(): Promise<number> {
    return (await this.all('events?type=schedule.tick&', 'events')).length;
  }
}
