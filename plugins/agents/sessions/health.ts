import type { HealthCheck } from '../../../kernel/contracts/index.ts';
import type { LocalAgent } from '../worker/local-agent.ts';
import type { Sessions } from './sessions.ts';

/** Ready means: work is looked for, and the built-in agent, where there is one, can take it. */
export const agentsHealth = (sessions: Sessions, builtin: LocalAgent | undefined): HealthCheck => ({
  name: 'agents',
  async check() {
    const { failing } = sessions.dispatcher;
    if (failing !== undefined) throw new Error(`work cannot be looked for: ${failing}`);
    if (builtin?.wanted && !builtin.status().connected) throw new Error('the built-in agent is not connected');
  },
});
