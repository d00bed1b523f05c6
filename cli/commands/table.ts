import { type Command, inGroup } from '../command.ts';

/** The commands that belong to no plugin: processes, the profile, the shell. */
export const coreCommands: readonly Command[] = [
  ...inGroup('Operate', [
    {
      name: 'dev',
      anywhere: true,
      summary: 'start a server, the console and one agent here, on SQLite under ./.svc',
      description:
        'Needs no settings. Creates the org `dev`, the project `main`, a token and the profile .svc/profile.json. Other\n' +
        'commands find the profile in this folder and its subfolders. Only one `svc dev` can use a folder.',
      flags: {
        port: {
          type: 'number',
          least: 0,
          most: 65535,
          summary: 'port (default SVC_PORT or 8787; 0 chooses a free one)',
        },
        home: {
          type: 'string',
          value: '<folder>',
          summary: 'folder for the database and all other files (default ./.svc)',
        },
        'no-agent': { type: 'boolean', summary: 'start the server and the console only' },
        worker: {
          type: 'string',
          value: '<file>',
          many: true,
          summary: 'file with functions; this process serves them, and reloads the file when it changes',
        },
        log: {
          type: 'string',
          choices: ['plain', 'json', 'off'],
          summary: 'how to report runs (default: plain on a terminal, otherwise off)',
        },
      },
      examples: [['svc dev', 'then, in another terminal: svc submit hello.sh --follow']],
      load: () => import('./dev.ts'),
    },
    {
      name: 'serve',
      anywhere: true,
      summary: 'start a server; several servers can share one MySQL database',
      description:
        'Settings come from the environment: SVC_DATABASE_URL, SVC_MASTER_KEY, SVC_HOST, SVC_PORT, SVC_PUBLIC_URL.\n' +
        'A new database needs `svc admin bootstrap` once.',
      examples: [['SVC_DATABASE_URL=mysql://… SVC_MASTER_KEY=… svc serve', 'one of several servers']],
      load: () => import('./serve.ts'),
    },
    {
      name: 'agent',
      anywhere: true,
      summary: 'start an agent: it connects to the server and runs activities',
      description:
        'SVC_URL is the address of the server. The agent token (`svc token create <name> --agent`) comes from a file or SVC_TOKEN.\n' +
        'Untrusted runs, such as those for pull requests from forks, are isolated from everything else on the machine.\n' +
        'After SIGTERM, it accepts no new work: running scripts can finish or park, and other agents claim the rest.',
      flags: {
        cap: {
          type: 'string',
          value: '<capability>',
          many: true,
          summary: 'capability to announce, in addition to detected ones',
        },
        slots: {
          type: 'number',
          least: 1,
          most: 1024,
          summary: 'number of concurrent activities (default: four per core)',
        },
        name: { type: 'string', summary: 'displayed name (default: host name)' },
        workdir: { type: 'string', value: '<folder>', summary: 'working directory of scripts (default: here)' },
        'token-file': {
          type: 'string',
          value: '<file>',
          summary: 'file with the token, or /dev/fd/<n> (SVC_TOKEN_FILE)',
        },
        untrusted: {
          type: 'string',
          value: 'isolate|refuse|only',
          summary: 'untrusted runs: isolate them (default), never run them, or run only them',
        },
        isolate: { type: 'string', value: 'untrusted|all', summary: 'which runs are isolated (default: untrusted)' },
        network: {
          type: 'string',
          value: 'host|loopback-denied|none',
          summary: 'network of isolated runs: all (default), not this machine, or none',
        },
        'run-as': {
          type: 'string',
          value: '<user>|<first>-<last>',
          summary: 'user that runs trusted programs, or a range with one user for each project (needs root)',
        },
        'allow-root': { type: 'boolean', summary: 'allow programs from several projects to run as root' },
        show: {
          type: 'string',
          value: '<path>',
          many: true,
          summary: 'folder or file that isolated runs can also read',
        },
      },
      examples: [
        ['SVC_URL=https://svc.example.org svc agent --token-file token.txt --cap gpu', 'an agent with a GPU'],
        [
          'svc agent --token-file token.txt --run-as 20000-20999',
          'an agent that runs as root, with a user for each project',
        ],
        ['svc agent --token-file token.txt --untrusted only', 'an agent for pull requests from forks'],
      ],
      load: () => import('./agent.ts'),
    },
    {
      name: 'worker',
      anywhere: true,
      summary: "serve your program's functions as workflows",
      description:
        'Imports the files and serves every workflow(name, …) in them, many runs at once in one process (docs/functions.md).\n' +
        'SVC_URL is the address of the server. The agent token (`svc token create <name> --agent`) comes from a file or SVC_TOKEN. Without\n' +
        'a token, a profile is enough if its user owns the org: the worker creates an agent token and revokes it when it ends.\n' +
        'After SIGTERM, it accepts no new runs: running functions can finish or park, and other workers claim the rest.',
      args: [{ name: 'file', optional: true, rest: true, summary: 'TypeScript or JavaScript files, or Python files' }],
      flags: {
        slots: { type: 'number', least: 1, most: 1024, summary: 'number of concurrent runs (default: 100)' },
        name: { type: 'string', summary: 'displayed name (default: host name)' },
        cap: { type: 'string', value: '<capability>', many: true, summary: 'capability to announce' },
        'token-file': {
          type: 'string',
          value: '<file>',
          summary: 'file with the token, or /dev/fd/<n> (SVC_TOKEN_FILE)',
        },
        reload: { type: 'boolean', summary: 'start the program again when its files change' },
        attach: {
          type: 'boolean',
          summary: "serve the program that started this worker; the SDK's serve() uses this",
        },
        'version-of': { type: 'string', value: '<file>', summary: 'with --attach: the main file of that program' },
      },
      examples: [
        ['svc worker orders.ts', 'with the server of your profile'],
        [
          'SVC_URL=https://svc.example.org svc worker orders.ts --token-file token.txt',
          'with another server and an agent token',
        ],
      ],
      load: () => import('./worker.ts'),
    },
    {
      name: 'plugins',
      anywhere: true,
      summary: 'print the plugins in boot order, and what each requires and adds',
      examples: [['SVC_PLUGINS=./my-plugin svc plugins', 'check that your plugin loads']],
      load: () => import('./plugins.ts'),
    },
    {
      name: 'plugin init',
      anywhere: true,
      summary: 'write a working plugin to start from: table, route, durable verb, command and test',
      description:
        'Creates a folder with this name, with a README that describes each file. Existing files are not overwritten.',
      args: [
        { name: 'name', summary: 'the ID of the plugin: a lowercase letter, then lowercase letters, digits and -' },
      ],
      examples: [['svc plugin init tally', 'then: SVC_PLUGINS=./tally svc dev']],
      load: () => import('./plugin-init.ts'),
    },
    {
      name: 'plugin link',
      anywhere: true,
      summary: "link this copy of svc so that editors, tsc and a plugin's tests find it",
      description:
        "Creates a link to this copy of svc in the folder's node_modules. `svc plugin init` does this too. Run it again in a copy of\n" +
        'the plugin on another machine, or after svc has moved. svc itself finds its modules without the link.',
      args: [{ name: 'folder', optional: true, summary: 'the folder of the plugin (default: here)' }],
      examples: [['svc plugin link', 'in the folder of the plugin']],
      load: () => import('./plugin-link.ts'),
    },
    {
      name: 'doctor',
      summary: 'check this machine, the profile, the server and its agents',
      load: () => import('./doctor.ts'),
    },
  ]),
  ...inGroup('Access', [
    {
      name: 'login',
      summary: 'store a server and a token in your profile',
      description:
        'The token is read from standard input (`--token -`) or a file (`--token @file`), so that it stays out of the process\n' +
        'list. It is sent only to this server. Use named profiles for several servers: `--profile <name>` with any command\n' +
        'that needs a server, or SVC_PROFILE, selects one.',
      flags: {
        url: { type: 'string', value: '<address>', summary: 'the server, e.g. https://svc.example.org' },
        token: { type: 'string', value: '-|@file', summary: 'the token' },
        profile: { type: 'string', value: '<name>', summary: 'store it as a profile with this name (or SVC_PROFILE)' },
        org: { type: 'string', summary: 'org (default: the only one you are in)' },
        project: { type: 'string', summary: 'project (default: the only one you are in)' },
      },
      examples: [
        ['svc login --url https://svc.example.org --token @token.txt', 'from a file'],
        ['svc login --profile test --url https://test.example.org --token -', 'then: svc runs ls --profile test'],
      ],
      load: () => import('./login.ts'),
    },
    {
      name: 'whoami',
      summary: 'show your user, token, orgs and projects',
      load: () => import('./whoami.ts'),
    },
  ]),
  {
    name: 'errors',
    anywhere: true,
    group: 'Shell',
    summary: 'explain an error code, or list them all; also `svc help errors <code>`',
    args: [{ name: 'code', optional: true, summary: 'the code, in parentheses at the end of an error' }],
    examples: [['svc errors determinism_violation', 'its meaning, and what to do']],
    load: () => import('./errors.ts'),
  },
  {
    name: 'docs',
    group: 'Shell',
    summary: "list the documentation pages, print a page's address, or read a page here",
    description:
      "A topic is the name of a page, a command, a script verb or an error code. Your profile's server serves the\n" +
      'pages under /docs. With --text, the page comes from this installation, and no server is needed.',
    args: [{ name: 'topic', optional: true, rest: true, summary: 'as `svc docs` lists it (default: list all topics)' }],
    flags: {
      open: { type: 'boolean', summary: 'open the page in a browser' },
      text: { type: 'boolean', summary: 'print the page as Markdown' },
    },
    examples: [
      ['svc docs tutorials/etl --open', 'a tutorial in your browser'],
      ['svc docs wait-signal --text', 'what a verb does, without a server'],
      ['svc docs determinism_violation', 'the page of an error code'],
    ],
    load: () => import('./docs.ts'),
  },
  {
    name: 'completion',
    anywhere: true,
    group: 'Shell',
    summary: 'print a completion script for your shell',
    args: [{ name: 'shell', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    description:
      'It completes commands, script verbs, flags and their values: run IDs, statuses, profiles, projects, and the names of\n' +
      "handlers, schedules, hooks, graphs, secrets and more. It gets names from the profile's server and waits for at most a\n" +
      'second; if the server does not respond, completion continues without names.',
    examples: [
      ['source <(svc completion bash)', 'for this session; add it to ~/.bashrc for all sessions'],
      ['source <(svc completion zsh)', 'in ~/.zshrc, after compinit'],
      ['svc completion fish > ~/.config/fish/completions/svc.fish', 'once'],
    ],
    load: () => import('../completion/scripts.ts'),
  },
];
