import type { Argument, Command, Flag } from '../../command.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };
const ON: Readonly<Record<string, Flag>> = {
  project: { type: 'string', value: '<project>', summary: 'of this project instead of the org' },
};

/** Who may do what. */
export const accessCommands: readonly Command[] = [
  {
    name: 'login',
    summary: 'store a server and a token in your profile',
    about:
      'The token is read from standard input (`--token -`) or a file (`--token @file`), so that it stays out of the process list.',
    args: [],
    flags: {
      url: { type: 'string', value: '<address>', summary: 'the server, e.g. https://svc.example.org' },
      token: { type: 'string', value: '-|@file', summary: 'where the token is' },
      org: { type: 'string', summary: 'org (default: the only one you are in)' },
      project: { type: 'string', summary: 'project (default: the only one you are in)' },
    },
    examples: [['svc login --url https://svc.example.org --token @token.txt', 'from a file']],
    load: () => import('./login.ts'),
  },
  {
    name: 'whoami',
    summary: 'who you are, your token, orgs and projects',
    args: [],
    flags: {},
    examples: [],
    load: () => import('./whoami.ts'),
  },
  {
    name: 'org create',
    summary: 'create an org; you become its owner',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./org-create.ts'),
  },
  { name: 'org ls', summary: 'list your orgs', args: [], flags: {}, examples: [], load: () => import('./org-ls.ts') },
  {
    name: 'project create',
    summary: 'create a project in your org',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./project-create.ts'),
  },
  {
    name: 'project ls',
    summary: 'list the projects of your org',
    args: [],
    flags: {},
    examples: [],
    load: () => import('./project-ls.ts'),
  },
  {
    name: 'member set',
    summary: 'give a user a role in the org or, with --project, in a project',
    args: [{ name: 'user', summary: 'the user' }],
    flags: { role: { type: 'string', summary: 'org: owner, member; project: viewer, member, admin' }, ...ON },
    examples: [['svc member set ana --role admin --project web', 'an admin of one project']],
    load: () => import('./member-set.ts'),
  },
  {
    name: 'member ls',
    summary: 'list members and roles',
    args: [],
    flags: ON,
    examples: [],
    load: () => import('./member-ls.ts'),
  },
  {
    name: 'member rm',
    summary: 'remove a member',
    args: [{ name: 'user', summary: 'the user' }],
    flags: ON,
    examples: [],
    load: () => import('./member-rm.ts'),
  },
  {
    name: 'token create',
    summary: 'make a token; it is printed once',
    args: [NAME],
    flags: {
      agent: { type: 'boolean', summary: 'for an agent instead of a person or CI' },
      role: { type: 'string', choices: ['viewer', 'member', 'admin'], summary: 'at most this role' },
      project: { type: 'string', summary: 'this project only' },
      'expires-in': { type: 'string', value: '<duration>', summary: 'e.g. 30d (default: never)' },
    },
    examples: [['svc token create ci --role member --project web --expires-in 90d', 'for CI']],
    load: () => import('./token-create.ts'),
  },
  {
    name: 'token ls',
    summary: 'list tokens: names, roles, last use; never their values',
    args: [],
    flags: {},
    examples: [],
    load: () => import('./token-ls.ts'),
  },
  {
    name: 'token rm',
    summary: 'revoke a token',
    args: [{ name: 'id', summary: 'its id, from `svc token ls`' }],
    flags: {},
    examples: [],
    load: () => import('./token-rm.ts'),
  },
  {
    name: 'audit ls',
    summary: 'who did what in the project (for its admins) or, with --org, to the org (for its owners)',
    about:
      'Every change and every read of a secret, newest first: when, who, what, to what, from where. Never a value.',
    args: [],
    flags: {
      org: { type: 'boolean', summary: 'of the org itself: members, projects, tokens' },
      action: { type: 'string', value: '<action>', summary: 'only this action (`secret.read`) or noun (`secret`)' },
      principal: { type: 'string', value: '<name>', summary: 'only what this user or token did' },
      since: { type: 'string', value: '<time>', summary: 'only since then (ISO 8601), or so long back (`7d`)' },
      limit: { type: 'number', least: 1, most: 200, summary: 'how many (default 50)' },
      cursor: { type: 'string', summary: 'where the page before ended' },
    },
    examples: [['svc audit ls --action secret.read --since 7d', 'who read a secret this week']],
    load: () => import('./audit-ls.ts'),
  },
];
