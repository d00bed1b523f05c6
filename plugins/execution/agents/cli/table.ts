import { type Api, type Command, listCommand } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  listCommand<Api.ListAgents200['agents'][number]>({
    name: 'agents ls',
    group: 'Look',
    summary: 'list the agents with their capabilities and activities',
    path: '/api/v1/agents',
    member: 'agents',
    columns: {
      agent: 'agent_id',
      name: 'name',
      state: 'state',
      project: 'project',
      machine: ({ os, arch }) => `${os}/${arch}`,
      slots: 'slots',
      untrusted: ({ untrusted, isolation_missing }) =>
        isolation_missing === undefined || untrusted === 'refuse' ? untrusted : `cannot: ${isolation_missing}`,
      capabilities: ({ capabilities }) => capabilities.filter((name) => !name.startsWith('svc:')).join(' '),
      'last seen': 'last_seen_at',
    },
  }),
];
