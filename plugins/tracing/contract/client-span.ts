import type { TraceContext } from './context.ts';
import type { FinishedSpan } from './span.ts';

export interface SentRequest {
  context: TraceContext;
  parent: string;
  method: string;
  /** As errors show it: without a secret. Its query is left out here. */
  shown_url: string;
  /** Epoch ms. */
  start: number;
  end: number;
  /** Absent: there was no answer. */
  status?: number | undefined;
  /** The code of what went wrong. */
  error?: string | undefined;
}

const CLIENT_ERROR = 400;

/** A request to another system, with the names that OpenTelemetry has for it. */
export function clientSpan(sent: SentRequest): FinishedSpan {
  const { context, parent, method, start, end, status } = sent;
  const [shown = ''] = sent.shown_url.split(/[?#]/);
  const url = URL.canParse(shown) ? new URL(shown) : undefined;
  const error = sent.error ?? (status !== undefined && status >= CLIENT_ERROR ? String(status) : undefined);
  return {
    ...{ context, parent, name: method, kind: 'client', start, end, error },
    attributes: {
      'http.request.method': method,
      'url.full': shown,
      'server.address': url?.hostname,
      'server.port': url && (Number(url.port) || (url.protocol === 'https:' ? 443 : 80)),
      'http.response.status_code': status,
      'error.type': error,
    },
  };
}
