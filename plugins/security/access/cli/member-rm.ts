import { type Api, type Run, usageError } from '../../../../cli/contract.ts';
import { membersPath } from './paths.ts';
import { tokenLines } from './token-lines.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const project = flags.project as string | undefined;
  if (flags.keepMinted && project !== undefined)
    throw usageError('--keep-minted and --project cannot be combined', 'leave out --keep-minted');
  const api = await invocation.client();
  const path = `${membersPath(api, invocation)}/${encodeURIComponent(args[0] ?? '')}`;
  const query = flags.keepMinted ? '?keep_minted=true' : '';
  const answer = await api.json<Api.LeftMember | undefined>({ method: 'DELETE', path: `${path}${query}` });
  output.note(`Removed ${args[0]} from ${project ?? api.profile.org}`);
  const { revoked = [], more = 0 } = answer ?? {};
  for (const line of tokenLines(`created by ${args[0]}, revoked`, revoked)) output.note(line);
  if (more > 0) output.note(`and ${more} more`);
  return undefined;
};
