import { type Api, type Run, usageError } from '../../../../cli/contract.ts';
import { tokenLines } from './token-lines.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  if (flags.keepMinted && flags.withMinted)
    throw usageError('--keep-minted and --with-minted cannot be combined', 'leave out --with-minted');
  const api = await invocation.client();
  const path = `/api/v1/tokens/${encodeURIComponent(args[0] ?? '')}${flags.keepMinted ? '?keep_minted=true' : ''}`;
  const answer = await api.json<Api.RevokedTokens | undefined>({ method: 'DELETE', path });
  output.note(`Revoked token ${args[0]}`);
  const { revoked = [], living = [], more = 0, beyond_reach = 0 } = answer ?? {};
  for (const line of tokenLines('revoked with it', revoked)) output.note(line);
  for (const line of tokenLines('created by it, still valid', living)) output.note(line);
  if (more > 0) output.note(`and ${more} more`);
  if (living.length > 0) output.note('Revoke each of them with `svc token rm <id>`');
  if (beyond_reach > 0)
    output.note(`${beyond_reach} more tokens that it created are still valid; an owner of their org can revoke them`);
  return undefined;
};
