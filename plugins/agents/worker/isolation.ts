import type { Role } from '../../../kernel/contracts/index.ts';
import type { AgentIsolation, Executor } from '../contract.ts';
import { AgentErrors } from '../errors.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * What becomes of untrusted work on this agent. Throws `agent_setting_invalid` when the settings want an isolation that
 * this machine does not have: nothing may run less apart than its owner believes.
 */
export async function isolationOf(
  executors: readonly Executor[],
  { untrusted, isolate, network }: Pick<WorkerSettings, 'untrusted' | 'isolate' | 'network'>,
): Promise<AgentIsolation> {
  if (network !== 'host' && untrusted === 'refuse' && isolate !== 'all')
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_NETWORK is "${network}", but this agent isolates nothing: SVC_AGENT_UNTRUSTED is "refuse" and SVC_AGENT_ISOLATE is not "all"`,
    );
  const able = executors.flatMap((executor) => executor.isolation?.bind(executor) ?? []);
  const faults = await Promise.all(able.map((fault) => fault()));
  const missing = able.length === 0 ? 'no executor of it starts programs' : faults.find((fault) => fault !== undefined);
  if (missing !== undefined && able.length > 0) {
    const wanted = isolate === 'all' ? 'SVC_AGENT_ISOLATE is "all"' : 'SVC_AGENT_UNTRUSTED is "only"';
    if (isolate === 'all' || untrusted === 'only')
      throw AgentErrors.settingInvalid(`${wanted}, but this machine cannot isolate programs: ${missing}`);
    if (network !== 'host')
      throw AgentErrors.settingInvalid(
        `SVC_AGENT_NETWORK is "${network}", but this machine cannot do that: ${missing}`,
      );
  }
  return missing === undefined ? { untrusted } : { untrusted, missing: missing.slice(0, MAX_REASON) };
}

const MAX_REASON = 500;

/** What `svc dev` says of its programs, which it starts as root without being told to: the machine is of whoever starts it. */
export function rootNotice(role: Role, { as_root }: Pick<WorkerSettings, 'as_root'>): string | undefined {
  if (role !== 'dev' || !as_root) return undefined;
  return 'programs run as root and can read what every project of this server keeps; SVC_AGENT_RUN_AS=20000-20999 gives each project a user';
}
