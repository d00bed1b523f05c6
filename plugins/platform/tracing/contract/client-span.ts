import type { TraceContext } from './context.ts';
import type { FinishedSpan } from './span.ts';

export interface ClientRequest {
  context: TraceContext;
  parent: string;
  method: string;
  /** The URL as errors show it, without secrets. The span leaves out its query. */
  redacted_url: string;
  /** Epoch ms. */
  start: number;
  end: number;
  /** Absent when there was no answer. */
  status?: number | undefined;
  /** The code of the error. */
  error?: string | undefined;
}

const CLIENT_ERROR = 400;

/** Makes the span of a request to another system, with the attribute names of OpenTelemetry. */
export function clientSpan(request: ClientRequest): FinishedSpan {
  const { context, parent, method, start, end, status } = request;
  const [redacted = ''] = request.redacted_url.split(/[?#]/);
  const url = URL.canParse(redacted) ? new URL(redacted) : undefined;
  const error = request.error ?? (status !== undefined && status >= CLIENT_ERROR ? String(status) : undefined);
  return {
    context,
    parent,
    name: method,
    kind: 'client',
    start,
    end,
    error,
    attributes: {
      'http.request.method': method,
      'url.full': redacted,
      'server.address': url?.hostname,
      'server.port': url && (Number(url.port) || (url.protocol === 'https:' ? 443 : 80)),
      'http.response.status_code': status,
      'error.type': error,
    },
  };
}
