import type { TraceContext } from '../contract.ts';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** Decides whether the spans of a trace are exported, by nothing but its arguments, so that all servers decide alike. */
export type Sampler = (trace_id: string, parent: TraceContext | undefined) => boolean;

export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  if (!name.startsWith('parentbased_')) return root;
  return (trace_id, parent) => parent?.sampled ?? root(trace_id);
}

function rootSampler(name: string, ratio: number): (trace_id: string) => boolean {
  if (name === 'always_on') return () => true;
  if (name === 'always_off') return () => false;
  const bound = ratio >= 1 ? 2 ** 32 : Math.floor(ratio * (2 ** 32 - 1));
  return (trace_id) => hashTraceId(trace_id) < bound;
}

/** Hashes a trace id as the JavaScript SDK of OpenTelemetry does, so that both sample the same traces. */
function hashTraceId(trace_id: string): number {
  let all = 0;
  for (let at = 0; at < trace_id.length; at += 8) all = (all ^ Number.parseInt(trace_id.slice(at, at + 8), 16)) >>> 0;
  return all;
}
