import type { FlowNodeType } from 'svc/flows';
import { Errors } from 'svc/plugin';

/** `{times, message}`: fails so many attempts without an agent, and then puts its attempt out. */
const failing: FlowNodeType = {
  type: 'failing',
  begin(_tx, { attempt, name, config }) {
    const { times, message = `${name} fails at attempt ${attempt}` } = config;
    if (attempt <= Number(times)) throw Errors.invalidRequest(String(message));
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
