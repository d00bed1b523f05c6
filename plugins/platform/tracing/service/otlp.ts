import type { SpanContext } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { FinishedSpan, SpanAttributes, SpanKind, TraceContext } from '../contract.ts';
import type { TracingSettings } from '../domain/settings.ts';

const KINDS: Record<SpanKind, number> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 };
const ERROR = 2;
const SCOPE = { name: 'svc' };

/** Sends spans to a collector. */
export interface SpanExporterClient {
  /** Rejects when the collector has not accepted them. */
  send(spans: readonly FinishedSpan[]): Promise<void>;
  close(): Promise<void>;
}

/** Only this module uses OpenTelemetry's packages. They are loaded when the first spans are sent. */
export async function openExporter(settings: TracingSettings, version: string): Promise<SpanExporterClient> {
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const exporter = await exporterOf(settings);
  const resource = resourceFromAttributes({ 'service.version': version, ...settings.resource });
  return {
    send: (spans) =>
      new Promise((sent, failed) => {
        exporter.export(
          spans.map((span) => toReadableSpan(span, resource)),
          ({ code, error }) => (code === 0 ? sent() : failed(error ?? new Error('the spans were not accepted'))),
        );
      }),
    close: () => exporter.shutdown(),
  };
}

async function exporterOf({ endpoint }: TracingSettings): Promise<SpanExporter> {
  const { url, headers, timeout_ms, gzip, protocol } = endpoint;
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const compression = (gzip ? 'gzip' : 'none') as never;
  return new OTLPTraceExporter({ url, headers, timeoutMillis: timeout_ms, compression, concurrencyLimit: 1 });
}

function toReadableSpan(span: FinishedSpan, resource: ReadableSpan['resource']): ReadableSpan {
  const { context, parent, remote = false, name, kind, start, error, events = [] } = span;
  const end = Math.max(start, span.end);
  const span_context = spanContext(context);
  return {
    name,
    kind: KINDS[kind],
    spanContext: () => span_context,
    ...(parent !== undefined && { parentSpanContext: { ...span_context, spanId: parent, isRemote: remote } }),
    startTime: hrTime(start),
    endTime: hrTime(end),
    duration: hrTime(end - start),
    ended: true,
    status: error === undefined ? { code: 0 } : { code: ERROR, message: error },
    attributes: present(span.attributes),
    events: events.map((event) => ({
      name: event.name,
      time: hrTime(event.at),
      attributes: present(event.attributes ?? {}),
      droppedAttributesCount: 0,
    })),
    links: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const spanContext = ({ trace_id, span_id, sampled, state }: TraceContext): SpanContext => ({
  traceId: trace_id,
  spanId: span_id,
  traceFlags: sampled ? 1 : 0,
  ...(state !== undefined && { traceState: { serialize: () => state } as never }),
});

/** Converts milliseconds to seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

const present = (attributes: SpanAttributes): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
