import type { Api, Run } from '../../../../cli/contract.ts';
import { INVITATIONS, scopeName } from './paths.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = `${INVITATIONS}/${encodeURIComponent(args[0] ?? '')}/accept`;
  const accepted = await api.json<Api.AcceptedInvitation>({ method: 'POST', path, expects: ['org', 'role'] });
  output.data(accepted, () => '');
  output.note(`Joined as ${accepted.role} of ${scopeName(accepted.org, accepted.project)}`);
  if (!accepted.token_reaches)
    output.note(`Your current token is limited to another org; ask an owner of ${accepted.org} for a token`);
  return undefined;
};
