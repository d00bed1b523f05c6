import type { PipelineDocument } from '../generated/pipeline.ts';
import { findRepoFile } from './child.ts';

/** The first place of each credential that a pipeline names, as a JSON pointer. */
export function namedCredentials({ credentials = {}, jobs }: PipelineDocument): Record<string, string> {
  const pointers = new Map<string, string>();
  const addName = (pointer: string, name: string) => pointers.set(name, pointers.get(name) ?? pointer);
  for (const [variable, name] of Object.entries(credentials)) addName(`/credentials/${variable}`, name);
  for (const [id, job] of Object.entries(jobs)) {
    for (const [variable, name] of Object.entries(job.credentials ?? {}))
      addName(`/jobs/${id}/credentials/${variable}`, name);
    const file = findRepoFile(job);
    if (file) addName(`/jobs/${id}/workflow/from_repo`, file.credential);
  }
  return Object.fromEntries([...pointers].map(([name, pointer]) => [pointer, name]));
}
