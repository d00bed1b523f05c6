import {
  type Api,
  type Argument,
  adminCommand,
  type Command,
  type Flags,
  inGroup,
  listCommand,
  NAME,
  namedPath,
  putCommand,
  removeCommand,
} from '../../../../cli/contract.ts';
import { INVITATIONS, invitationsPath, membersPath, scopeName, projectsPath } from './paths.ts';

const USER: Argument = { name: 'user', summary: 'the user' };
const INVITATION: Argument = { name: 'id', summary: 'its ID, from `svc invitation ls`' };
const PROJECT_FLAG: Flags = {
  project: { type: 'string', value: '<project>', summary: 'use this project instead of the org' },
};

/** Who may do what. */
export const commands: readonly Command[] = [
  ...inGroup('Access', [
    putCommand({
      name: 'org create',
      summary: 'create an org; you become its owner',
      args: [NAME],
      path: namedPath('/api/v1/orgs'),
      confirmation: (made, { args }) =>
        made ? `Created org ${args[0]}; you are its owner` : `Org ${args[0]} already exists`,
    }),
    { name: 'org ls', summary: 'list your orgs', load: () => import('./org-ls.ts') },
    putCommand({
      name: 'project create',
      summary: 'create a project in your org',
      args: [NAME],
      path: namedPath(projectsPath),
      confirmation: (made, { args }) => (made ? `Created project ${args[0]}` : `Project ${args[0]} already exists`),
    }),
    { name: 'project ls', summary: 'list the projects of your org', load: () => import('./project-ls.ts') },
    {
      name: 'member set',
      summary: 'give a user a role in the org or, with --project, in a project',
      description:
        'A user who is not in the org is invited, and becomes a member when they accept (`svc invitation accept`).',
      args: [USER],
      flags: {
        role: { type: 'string', summary: 'org: owner, member; project: viewer, member, admin' },
        ...PROJECT_FLAG,
      },
      examples: [['svc member set ana --role admin --project web', 'an admin of one project']],
      load: () => import('./member-set.ts'),
    },
    listCommand<Api.ListProjectMembers200['members'][number]>({
      name: 'member ls',
      summary: 'list members and roles',
      flags: PROJECT_FLAG,
      path: membersPath,
      member: 'members',
      columns: { user: 'user', role: 'role' },
    }),
    {
      name: 'member rm',
      summary: 'remove a member, or leave',
      description:
        'Also revokes the tokens that the removed member created for agents or for other members, because the removed member may still have them.',
      args: [USER],
      flags: {
        ...PROJECT_FLAG,
        'keep-minted': {
          type: 'boolean',
          summary: 'keep the tokens that the member created for agents and other members',
        },
      },
      load: () => import('./member-rm.ts'),
    },
    listCommand<Api.Invitation>({
      name: 'invitation ls',
      summary: 'list your pending invitations',
      path: INVITATIONS,
      member: 'invitations',
      columns: {
        id: 'id',
        to: ({ org, project }) => scopeName(org, project),
        role: 'role',
        'invited by': 'invited_by',
        expires: 'expires_at',
      },
    }),
    {
      name: 'invitation accept',
      summary: 'accept an invitation and become a member',
      args: [INVITATION],
      load: () => import('./invitation-accept.ts'),
    },
    {
      name: 'invitation decline',
      summary: 'decline an invitation',
      args: [INVITATION],
      load: () => import('./invitation-decline.ts'),
    },
    listCommand<Api.MemberInvitation>({
      name: 'invitation sent',
      summary: 'list the pending invitations to your org',
      flags: PROJECT_FLAG,
      path: invitationsPath,
      member: 'invitations',
      columns: { user: 'user', role: 'role', 'invited by': 'invited_by', expires: 'expires_at' },
    }),
    removeCommand({
      name: 'invitation withdraw',
      summary: "withdraw a user's invitation",
      args: [USER],
      flags: PROJECT_FLAG,
      path: namedPath(invitationsPath),
      confirmation: ({ args, flags }, { profile }) =>
        `Withdrew the invitation of ${args[0]} to ${flags.project ?? profile.org}`,
    }),
    {
      name: 'token create',
      summary: 'create a token; it is printed only once',
      args: [NAME],
      flags: {
        agent: { type: 'boolean', summary: 'for an agent instead of a person or CI' },
        user: { type: 'string', value: '<name>', summary: 'for this member of the org; only for owners' },
        role: { type: 'string', choices: ['viewer', 'member', 'admin'], summary: "the token's highest role" },
        project: { type: 'string', summary: 'limits the token to this project' },
        'expires-in': { type: 'string', value: '<duration>', summary: 'e.g. 30d (default: never)' },
      },
      examples: [
        ['svc token create ci --role member --project web --expires-in 90d', 'for CI'],
        ['svc token create laptop --user bob', 'a first token for a user that `svc member set` added'],
      ],
      load: () => import('./token-create.ts'),
    },
    listCommand<Api.ListTokens200['tokens'][number]>({
      name: 'token ls',
      summary: 'list tokens: names, roles, last use; never their values',
      path: '/api/v1/tokens',
      member: 'tokens',
      columns: {
        id: 'id',
        name: 'name',
        kind: 'kind',
        role: 'role',
        project: 'project',
        expires: ({ expires_at }, output) => output.time(expires_at) || 'never',
        'last used': ({ last_used_at }, output) => output.time(last_used_at) || 'never',
      },
    }),
    {
      name: 'token rm',
      summary: 'revoke a token and the tokens that it created',
      args: [{ name: 'id', summary: 'its ID, from `svc token ls`' }],
      flags: {
        'keep-minted': {
          type: 'boolean',
          summary: 'revoke only this one, and list the tokens it created that are still valid',
        },
        'with-minted': {
          type: 'boolean',
          summary: 'also revoke the tokens it created (the default; kept for compatibility)',
        },
      },
      examples: [
        ['svc token rm tok_…', 'a token that may have leaked'],
        ['svc token rm tok_… --keep-minted', 'a token that you have replaced'],
      ],
      load: () => import('./token-rm.ts'),
    },
  ]),
  adminCommand('bootstrap', {
    summary: 'create the first org, project and owner of a new database',
    description:
      'Prints the owner token once, on standard output. Fails if the database has an owner, unless --force is given.',
    flags: {
      org: { type: 'string', summary: 'name of the org' },
      project: { type: 'string', summary: 'name of the project' },
      user: { type: 'string', summary: 'name of the owner' },
      force: { type: 'boolean', summary: 'create them even if the database has an owner' },
    },
    examples: [
      ['svc admin bootstrap --org acme --project main --user ana > token.txt', 'then: svc login --token @token.txt'],
    ],
  }),
];
