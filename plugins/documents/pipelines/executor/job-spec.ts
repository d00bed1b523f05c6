import type { Json } from '../../../engine/runs/contract.ts';
import type { JobSpec } from '../domain/job-spec.ts';
import { PipelineErrors } from '../errors.ts';

/** Throws `job_unreadable` for a record of another version, which no other try will change. */
export function readJobSpec(spec: Json): JobSpec {
  const is_supported = spec !== null && typeof spec === 'object' && !Array.isArray(spec) && spec.version === 1;
  if (is_supported && Array.isArray(spec.steps)) return spec as unknown as JobSpec;
  throw PipelineErrors.jobUnreadable('the job was planned by a server that runs a different version');
}
