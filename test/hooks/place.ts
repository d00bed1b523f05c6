import { startTarget, type Target } from '../../features/support/target.ts';
import type { Sent } from './senders.ts';

/** Where deliveries go: two servers on one database, and a project of it. */
export interface Place {
  target: Target;
  /** Addresses of both servers. */
  bases: readonly [string, string];
  /** Kills the second server. */
  strike(): Promise<void>;
  close(): Promise<void>;
}

export async function openPlace(database_url: string | undefined): Promise<Place> {
  const target = await startTarget({ env: { SVC_RATE_LIMIT: 'off' }, ...(database_url ? { database_url } : {}) });
  try {
    const second = await target.own!.startServer('0');
    return {
      target,
      bases: [target.base_url, second.url],
      strike: () => second.service.kill('SIGKILL'),
      close: async () => {
        await second.service.kill('SIGTERM');
        await target.close();
      },
    };
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** A call of the scenario's own; throws what is refused. */
export async function ask<R>(target: Target, method: string, path: string, body?: unknown): Promise<R> {
  const answer = await fetch(`${target.base_url}/api/v1/orgs/${target.org}/projects/main/${path}`, {
    method,
    headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as R;
}

/** Every page of a list. */
export async function all<T>(target: Target, path: string, plural: string): Promise<T[]> {
  const found: T[] = [];
  for (let cursor = ''; ; ) {
    const mark = path.includes('?') ? '&' : '?';
    const page = await ask<Record<string, T[]> & { next_cursor?: string }>(
      target,
      'GET',
      `${path}${mark}limit=200${cursor}`,
    );
    found.push(...page[plural]!);
    if (page.next_cursor === undefined) return found;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

export async function send(base: string, path: string, { body, headers, query }: Sent) {
  const answer = await fetch(`${base}${path}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text };
}

/** Does the work of all items, so many at once. */
export async function sideBySide<T>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].reverse();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}
