import { type Tracer, traceIdOf } from '../../../platform/tracing/contract.ts';
import type { Run } from '../contract.ts';

/** The record of a run with its trace, which comes from its id when nobody else traced it. */
export function withTrace(run: Run, tracer: Pick<Tracer, 'pageOf'> | undefined): Run {
  if (!tracer) return run;
  const { trace_id = traceIdOf(run.run_id) } = run;
  return { ...run, trace_id, trace_url: tracer.pageOf(trace_id) };
}
