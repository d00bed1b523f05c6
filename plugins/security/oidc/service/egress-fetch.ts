import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import type { Egress } from '../../../../kernel/contracts/index.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;

interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Makes oauth4webapi send its requests through the egress client. `insecure` allows http, for issuers on this machine only. */
export const fetchOptions = (egress: Egress, insecure: boolean) => ({
  [allowInsecureRequests]: insecure,
  [customFetch]: async (url: string, { method = 'GET', headers = {}, body }: FetchInit): Promise<Response> => {
    const content =
      body === undefined || body === null
        ? {}
        : {
            body: Buffer.from(String(body)),
            headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          };
    const answer = await egress.request({
      method,
      url,
      headers,
      timeout_ms: TIMEOUT_MS,
      max_bytes: MAX_BYTES,
      ...content,
    });
    const empty = answer.status === 204 || answer.status === 304;
    const preserved_headers = { 'content-type': answer.headers['content-type'] ?? '' };
    return new Response(empty ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: preserved_headers,
    });
  },
});
