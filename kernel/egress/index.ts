import type { Clock, Settings } from '../contracts/index.ts';
import { readAllowList } from './allow-list.ts';
import type { OwnEgress } from './egress.ts';

export type { OwnEgress };

/**
 * The way out of a process; its setting is checked now, its code loaded at the first request: most processes never send
 * one. Throws `setting_invalid`.
 */
export function openEgress({ role, env, version }: Settings, clock: Clock): OwnEgress {
  const allow = readAllowList(role, env.SVC_EGRESS_ALLOW);
  let opened: Promise<OwnEgress> | undefined;
  const open = async () => {
    const { createEgress } = await import('./egress.ts');
    return createEgress({ allow, clock, version });
  };
  return {
    async request(request) {
      opened ??= open();
      return (await opened).request(request);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
