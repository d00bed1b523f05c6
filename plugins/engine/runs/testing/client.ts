import { type EngineOptions, type EngineServer, withEngine } from '../../../../test/kit/index.ts';

interface Reply {
  status: number;
  json: Record<string, never> & Record<string, unknown>;
  headers: Headers;
}

export interface Client {
  base: string;
  /** Calls a path below the project. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { role?: string; headers?: Record<string, string> },
  ): Promise<Reply>;
}

/** Runs `work` with a client of a server of its own. */
export const withClient = (
  options: EngineOptions,
  work: (server: EngineServer, client: Client) => Promise<void>,
): Promise<void> =>
  withEngine(options, (server) =>
    work(server, {
      base: server.url + server.scoped,
      async call(method, path, body, { role = 'member', headers } = {}) {
        const payload = body === undefined ? undefined : JSON.stringify(body);
        const answer = await server.call(role, `${method} ${server.scoped}${path}`, payload, headers);
        return { ...answer, json: answer.json ?? { text: answer.text } };
      },
    }),
  );

export const submitted = async ({ call }: Client, body: object = {}): Promise<string> =>
  (await call('POST', '/runs', { source: 'true', ...body })).json.run_id as unknown as string;
