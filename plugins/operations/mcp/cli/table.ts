import type { Command } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  {
    name: 'mcp',
    group: 'Connect',
    summary: 'let an AI agent use the project: a Model Context Protocol server',
    description:
      'Reads Model Context Protocol messages from standard input and prints the responses. Configure it in an AI agent as\n' +
      'a local server with the command "svc mcp". Each workflow is a tool, and so are listing, running, explaining and approving.\n' +
      "The agent has your profile's permissions. Agents that support HTTP can use {server}/api/v1/orgs/{org}/projects/{project}/mcp.",
    flags: { 'read-only': { type: 'boolean', summary: 'offer only tools that change nothing' } },
    examples: [
      ['svc mcp', 'in the configuration of an AI agent'],
      ['svc mcp --read-only', 'the agent can see runs, but cannot start or change anything'],
    ],
    load: () => import('./mcp.ts'),
  },
];
