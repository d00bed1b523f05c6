import type { Run } from '../../../../cli/contract.ts';
import { INVITATIONS } from './paths.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  await api.json({ method: 'POST', path: `${INVITATIONS}/${encodeURIComponent(args[0] ?? '')}/decline` });
  output.note(`Declined invitation ${args[0]}`);
  return undefined;
};
