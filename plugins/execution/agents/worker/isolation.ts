import type { Role } from '../../../../kernel/contracts/index.ts';
import type { AgentIsolation, Executor } from '../contract.ts';
import { AgentErrors } from '../errors.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * Returns what this agent does with untrusted work. Throws `agent_setting_invalid` when the settings require an
 * isolation that this machine does not offer, because nothing may be less isolated than its owner believes.
 */
export async function detectIsolation(
  executors: readonly Executor[],
  { untrusted, isolate, network }: Pick<WorkerSettings, 'untrusted' | 'isolate' | 'network'>,
): Promise<AgentIsolation> {
  if (network !== 'host' && untrusted === 'refuse' && isolate !== 'all')
    throw AgentErrors.settingInvalid(
      `SVC_AGENT_NETWORK is "${network}", but this agent isolates nothing: SVC_AGENT_UNTRUSTED is "refuse" and SVC_AGENT_ISOLATE is not "all"`,
    );
  const checks = executors.flatMap((executor) => executor.isolation?.bind(executor) ?? []);
  const results = await Promise.all(checks.map((fault) => fault()));
  const missing =
    checks.length === 0 ? 'it has no executor that starts programs' : results.find((fault) => fault !== undefined);
  if (missing !== undefined && checks.length > 0) {
    const setting = isolate === 'all' ? 'SVC_AGENT_ISOLATE is "all"' : 'SVC_AGENT_UNTRUSTED is "only"';
    if (isolate === 'all' || untrusted === 'only')
      throw AgentErrors.settingInvalid(`${setting}, but this machine cannot isolate programs: ${missing}`);
    if (network !== 'host')
      throw AgentErrors.settingInvalid(
        `SVC_AGENT_NETWORK is "${network}", but this machine cannot do that: ${missing}`,
      );
  }
  return missing === undefined ? { untrusted } : { untrusted, missing: missing.slice(0, MAX_REASON) };
}

const MAX_REASON = 500;

/**
 * The notice that `svc dev` prints because it runs programs as root without being told to: the machine belongs to
 * whoever starts it.
 */
export function rootNotice(role: Role, { as_root }: Pick<WorkerSettings, 'as_root'>): string | undefined {
  if (role !== 'dev' || !as_root) return undefined;
  return 'programs run as root and can read what every project of this server stores; SVC_AGENT_RUN_AS=20000-20999 gives each project a user';
}
