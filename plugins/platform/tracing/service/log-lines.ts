import { tracingChannel } from 'node:diagnostics_channel';
import type { OtlpTracer } from './tracer.ts';

interface Line {
  arguments?: ArrayLike<unknown>;
  added?: Record<string, unknown>;
}

/**
 * Adds `trace_id` and `span_id` to log lines about a run or a request. The logger publishes each line on a tracing channel of
 * Node. The fields are removed from the caller's object again when the line has been written.
 */
export function traceLogLines(tracer: Pick<OtlpTracer, 'ofLine'>): () => void {
  const channel = tracingChannel<Line, Line>('pino_asJson');
  const listener = {
    start(line: Line) {
      const fields = line.arguments?.[0] as Record<string, unknown> | undefined;
      if (!fields || fields.trace_id !== undefined || !Object.isExtensible(fields)) return;
      const context = tracer.ofLine(fields.run_id);
      if (!context) return;
      fields.trace_id = context.trace_id;
      fields.span_id = context.span_id;
      line.added = fields;
    },
    end({ added }: Line) {
      delete added?.trace_id;
      delete added?.span_id;
    },
  };
  const { start, end } = channel;
  const onStart = (line: unknown) => listener.start(line as Line);
  const onEnd = (line: unknown) => listener.end(line as Line);
  start.subscribe(onStart);
  end.subscribe(onEnd);
  return () => {
    start.unsubscribe(onStart);
    end.unsubscribe(onEnd);
  };
}
