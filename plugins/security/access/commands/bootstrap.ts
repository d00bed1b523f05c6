import type { AdminCommand } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import { Bootstrap } from '../contract.ts';
import { AccessErrors } from '../errors.ts';

export const bootstrapCommand: AdminCommand = {
  name: 'bootstrap',
  summary: "Creates the first org, project and owner of an empty database, and prints the owner's token once.",
  usage: 'svc admin bootstrap --org <org> --project <project> --user <user> [--force]',
  flags: [
    { name: 'org', type: 'string', summary: 'name of the org', required: true },
    { name: 'project', type: 'string', summary: 'name of its project', required: true },
    { name: 'user', type: 'string', summary: 'name of its owner', required: true },
    { name: 'force', type: 'boolean', summary: 'run even if there is an owner, and add what is missing' },
  ],
  async run(use, args) {
    const { org, project, user } = args;
    if (typeof org !== 'string' || typeof project !== 'string' || typeof user !== 'string')
      throw Errors.invalidRequest('set --org, --project and --user');
    const bootstrap = use(Bootstrap);
    if (args.force !== true && (await bootstrap.hasOwner()))
      throw AccessErrors.alreadyBootstrapped('the database already has an org with an owner');
    const { token } = await bootstrap.ensure({ org, project, user });
    return { json: { org, project, user, token }, text: token };
  },
};
