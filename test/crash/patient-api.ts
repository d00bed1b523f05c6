import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';

const BOUND_MS = 60_000;

/** Calls the API of a project whose servers are killed: repeats the request until a server answers it. */
export function askPatiently<T>(
  { base_url, org, token }: Target,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<T> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  if (key !== undefined) headers['idempotency-key'] = key;
  return until(`${method} ${path}`, BOUND_MS, async () => {
    const response = await fetch(`${base_url}/api/v1/orgs/${org}/projects/main${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch(() => undefined); // No server listens at the moment.
    if (!response || response.status === 503) return undefined;
    const text = await response.text().catch(() => undefined); // The server was killed while it answered.
    if (text === undefined) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  });
}
