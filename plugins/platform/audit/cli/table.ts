import { type Api, type Command, listCommand } from '../../../../cli/contract.ts';

/** Who did what. */
export const commands: readonly Command[] = [
  listCommand<Api.ListProjectAudit200['entries'][number]>({
    name: 'audit ls',
    group: 'Access',
    summary: 'list who did what in the project (for admins) or, with --org, in the org (for owners)',
    description: 'Shows every change and every read of a secret, newest first. It never shows a value.',
    flags: {
      org: { type: 'boolean', summary: 'entries of the org itself: members, projects, tokens' },
    },
    filters: {
      action: { type: 'string', value: '<action>', summary: 'only this action (`secret.read`) or noun (`secret`)' },
      principal: { type: 'string', value: '<name>', summary: 'only actions by this user or token' },
      since: {
        type: 'string',
        value: '<time>',
        summary: 'only since a time (ISO 8601) or within a duration (`7d`)',
      },
    },
    examples: [['svc audit ls --action secret.read --since 7d', 'who read a secret this week']],
    path: (api, { flags }) =>
      flags.org ? `/api/v1/orgs/${encodeURIComponent(api.profile.org)}/audit` : api.scoped('/audit'),
    member: 'entries',
    columns: {
      at: 'at',
      principal: ({ principal }) => principal?.name ?? '(operator)',
      action: 'action',
      subject: ({ subject, detail }) => `${subject}${detail === undefined ? '' : ` (${detail})`}`,
      ip: 'ip',
      request: 'request_id',
    },
  }),
];
