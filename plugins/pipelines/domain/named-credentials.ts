import type { PipelineDocument } from '../generated/pipeline.ts';
import { repoFileOf } from './child.ts';

/** The first place of each credential that a pipeline names, as a JSON pointer. */
export function namedCredentials({ credentials = {}, jobs }: PipelineDocument): Record<string, string> {
  const places = new Map<string, string>();
  const keep = (pointer: string, name: string) => places.set(name, places.get(name) ?? pointer);
  for (const [variable, name] of Object.entries(credentials)) keep(`/credentials/${variable}`, name);
  for (const [id, job] of Object.entries(jobs)) {
    for (const [variable, name] of Object.entries(job.credentials ?? {}))
      keep(`/jobs/${id}/credentials/${variable}`, name);
    const file = repoFileOf(job);
    if (file) keep(`/jobs/${id}/workflow/from_repo`, file.credential);
  }
  return Object.fromEntries([...places].map(([name, pointer]) => [pointer, name]));
}
