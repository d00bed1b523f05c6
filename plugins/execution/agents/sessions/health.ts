import type { HealthCheck } from '../../../../kernel/contracts/index.ts';
import type { LocalAgent } from '../worker/local-agent.ts';
import type { Sessions } from './sessions.ts';

/** Ready means that polling works and that the built-in agent, if there is one, can take work. */
export const agentsHealth = (sessions: Sessions, builtin: LocalAgent | undefined): HealthCheck => ({
  name: 'agents',
  async check() {
    const { failing } = sessions.dispatcher;
    if (failing !== undefined) throw new Error(`polling for work failed: ${failing}`);
    if (builtin?.isEnabled && !builtin.status().connected) throw new Error('the built-in agent is not connected');
  },
});
