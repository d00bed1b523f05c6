import { bytesAt, type Fields, fieldsOf, messages, numberAt, textAt } from './protobuf.ts';

/** A span as a collector reads it. Times are epoch ms. */
export interface ReadSpan {
  trace_id: string;
  span_id: string;
  parent: string | undefined;
  state: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  start: number;
  end: number;
  attributes: Record<string, unknown>;
  events: { name: string; at: number; attributes: Record<string, unknown> }[];
  /** 2: an error. */
  status: number;
  message: string;
  resource: Record<string, unknown>;
}

/** An `ExportTraceServiceRequest`, in protocol buffers. */
export function spansOfProtobuf(body: Buffer): ReadSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resource_spans) => {
    const resource = attributesOf(messages(resource_spans, 1)[0] ?? new Map(), 1);
    const scopes = messages(resource_spans, 2);
    return scopes.flatMap((scope) => messages(scope, 2).map((span) => spanOf(span, resource)));
  });
}

const ms = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1000;

function spanOf(span: Fields, resource: ReadSpan['resource']): ReadSpan {
  const status = messages(span, 15)[0] ?? new Map();
  return {
    trace_id: bytesAt(span, 1).toString('hex'),
    span_id: bytesAt(span, 2).toString('hex'),
    parent: bytesAt(span, 4).toString('hex') || undefined,
    state: textAt(span, 3),
    name: textAt(span, 5),
    kind: Number(numberAt(span, 6)),
    start: ms(numberAt(span, 7)),
    end: ms(numberAt(span, 8)),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => ({
      ...{ name: textAt(event, 2), at: ms(numberAt(event, 1)), attributes: attributesOf(event, 3) },
    })),
    status: Number(numberAt(status, 3)),
    message: textAt(status, 2),
    resource,
  };
}

const attributesOf = (fields: Fields, number: number): Record<string, unknown> =>
  Object.fromEntries(messages(fields, number).map((pair) => [textAt(pair, 1), typed(messages(pair, 2)[0]!)]));

function typed(value: Fields): unknown {
  if (value.has(1)) return textAt(value, 1);
  if (value.has(2)) return numberAt(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, numberAt(value, 3)));
  const double = Buffer.alloc(8);
  double.writeBigUInt64LE(numberAt(value, 4));
  return double.readDoubleLE();
}

interface JsonValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: number | string;
  doubleValue?: number;
}
type JsonAttributes = { key: string; value: JsonValue }[];
interface JsonSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: JsonAttributes;
  events: { name: string; timeUnixNano: string; attributes: JsonAttributes }[];
  status: { code: number; message?: string };
}

const fromJson = (attributes: JsonAttributes): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
    ]),
  );

/** The same as JSON. */
export function spansOfJson(body: Buffer): ReadSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: { resource: { attributes: JsonAttributes }; scopeSpans: { spans: JsonSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        trace_id: span.traceId,
        span_id: span.spanId,
        parent: span.parentSpanId || undefined,
        state: span.traceState ?? '',
        name: span.name,
        kind: span.kind,
        start: ms(BigInt(span.startTimeUnixNano)),
        end: ms(BigInt(span.endTimeUnixNano)),
        attributes: fromJson(span.attributes),
        events: span.events.map(({ name, timeUnixNano, attributes }) => ({
          ...{ name, at: ms(BigInt(timeUnixNano)), attributes: fromJson(attributes) },
        })),
        status: span.status.code ?? 0,
        message: span.status.message ?? '',
        resource: fromJson(resource.attributes),
      })),
    ),
  );
}
