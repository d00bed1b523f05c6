import type { Store } from './test-database.ts';
import { openWorld, type World } from './world.ts';

type Reply = { status: number; json: Record<string, never> & Record<string, unknown>; headers: Headers };

export interface Client {
  base: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { role?: string; headers?: Record<string, string> },
  ): Promise<Reply>;
}

/** Runs `work` with a client of a server of its own. */
export async function withClient(
  store: Store,
  work: (world: World, client: Client) => Promise<void>,
  public_url?: string,
): Promise<void> {
  const world = await openWorld(store, { public_url });
  try {
    const base = `${await world.http()}/api/v1/orgs/acme/projects/main`;
    await work(world, {
      base,
      async call(method, path, body, { role = 'member', headers = {} } = {}) {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const response = await fetch(base + path, {
          method,
          headers: { authorization: `Bearer ${role}`, ...type, ...headers },
          body: body === undefined ? null : JSON.stringify(body),
        });
        const text = await response.text();
        const json = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : { text };
        return { status: response.status, json, headers: response.headers };
      },
    });
  } finally {
    await world.close();
  }
}

export const submitted = async ({ call }: Client, body: object = {}): Promise<string> =>
  (await call('POST', '/runs', { source: 'true', ...body })).json.run_id as unknown as string;
