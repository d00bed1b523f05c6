import type { FlowNodeType } from 'svc/flows';
import { Errors } from 'svc/plugin';

/** `{times}`: fails so many attempts without an agent, and then puts its attempt out. */
const failing: FlowNodeType = {
  type: 'failing',
  begin(_tx, { attempt, name, config }) {
    if (attempt <= Number(config.times)) throw Errors.invalidRequest(`${name} fails at attempt ${attempt}`);
    return { output: attempt };
  },
};

/** `{run}`: a program of bash on an agent. */
const shell: FlowNodeType = {
  type: 'shell',
  begin: (_tx, { name, config }) => ({
    activity: {
      executor: 'script',
      spec: { filename: `${name}.sh`, source: String(config.run), interpreter: null },
      requires: ['linux'],
    },
  }),
};

export const nodeTypes: readonly FlowNodeType[] = [failing, shell];
