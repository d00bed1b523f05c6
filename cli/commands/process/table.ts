import type { Command } from '../../command.ts';

/** The processes that svc is made of. */
export const processCommands: readonly Command[] = [
  {
    name: 'dev',
    summary: 'start server, console and one agent here, on SQLite under ./.svc',
    about:
      'Needs no setting. Makes the org `dev`, the project `main`, a token and the profile .svc/profile.json, which the\n' +
      'other commands find from this folder and below. Two of them on one folder are refused.',
    args: [],
    flags: {
      port: { type: 'number', least: 0, most: 65535, summary: 'port (default SVC_PORT or 8787; 0 takes a free one)' },
      home: { type: 'string', value: '<folder>', summary: 'where to keep everything (default ./.svc)' },
      'no-agent': { type: 'boolean', summary: 'server and console only' },
    },
    examples: [['svc dev', 'then, in another terminal: svc submit hello.sh --follow']],
    load: () => import('./dev.ts'),
  },
  {
    name: 'serve',
    summary: 'start a server; any number of them on one MySQL database',
    about:
      'Settings come from the environment: SVC_DATABASE_URL, SVC_MASTER_KEY, SVC_HOST, SVC_PORT, SVC_PUBLIC_URL.\n' +
      'A new database needs `svc admin bootstrap` once.',
    args: [],
    flags: {},
    examples: [['SVC_DATABASE_URL=mysql://… SVC_MASTER_KEY=… svc serve', 'one of several']],
    load: () => import('./serve.ts'),
  },
  {
    name: 'agent',
    summary: 'start an agent: it connects out to the server and runs the work',
    about:
      'SVC_URL names the server and SVC_TOKEN holds an agent token (`svc token create <name> --agent`).\n' +
      'SIGTERM drains: no new work, running scripts may finish or park, the rest goes to other agents.',
    args: [],
    flags: {
      cap: { type: 'string', value: '<capability>', many: true, summary: 'capability to announce beside those found' },
      slots: { type: 'number', least: 1, most: 1024, summary: 'activities at once (default: four a core)' },
      name: { type: 'string', summary: 'name to show (default: host name)' },
      workdir: { type: 'string', value: '<folder>', summary: 'working directory of scripts (default: here)' },
    },
    examples: [['SVC_URL=https://svc.example.org SVC_TOKEN=… svc agent --cap gpu --slots 2', 'an agent with a GPU']],
    load: () => import('./agent.ts'),
  },
  {
    name: 'agents ls',
    summary: 'list the agents: what they can and what they hold',
    args: [],
    flags: {},
    examples: [],
    load: () => import('./agents-ls.ts'),
  },
  {
    name: 'plugins',
    summary: 'print the plugins in boot order, with what each needs and adds',
    args: [],
    flags: {},
    examples: [['SVC_PLUGINS=./my-plugin svc plugins', 'does mine fit?']],
    load: () => import('./plugins.ts'),
  },
  {
    name: 'doctor',
    summary: 'check this machine, the profile, the server and its agents',
    args: [],
    flags: {},
    examples: [],
    load: () => import('./doctor.ts'),
  },
];
