import type { AgentIsolation, Executor } from '../contract.ts';
import { AgentErrors } from '../errors.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * What becomes of untrusted work on this agent. Throws `agent_setting_invalid` when the settings want an isolation that
 * this machine does not have: nothing may run less apart than its owner believes.
 */
export async function isolationOf(
  executors: readonly Executor[],
  { untrusted, isolate }: Pick<WorkerSettings, 'untrusted' | 'isolate'>,
): Promise<AgentIsolation> {
  const able = executors.flatMap((executor) => executor.isolation?.bind(executor) ?? []);
  const faults = await Promise.all(able.map((fault) => fault()));
  const missing = able.length === 0 ? 'no executor of it starts programs' : faults.find((fault) => fault !== undefined);
  if (missing !== undefined && able.length > 0) {
    const wanted = isolate === 'all' ? 'SVC_AGENT_ISOLATE is "all"' : 'SVC_AGENT_UNTRUSTED is "only"';
    if (isolate === 'all' || untrusted === 'only')
      throw AgentErrors.settingInvalid(`${wanted}, but this machine cannot isolate programs: ${missing}`);
  }
  return missing === undefined ? { untrusted } : { untrusted, missing: missing.slice(0, MAX_REASON) };
}

const MAX_REASON = 500;
