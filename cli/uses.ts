import type { CredentialUses } from './generated/api.ts';
import type { Run } from './command.ts';

/** Makes the command that lists what uses a credential or a connected account. */
export const usesCommand =
  (plural: 'credentials' | 'accounts'): Run =>
  async ({ args, output, client }) => {
    const api = await client();
    const path = api.scoped(`/${plural}/${encodeURIComponent(args[0]!)}/uses`);
    const answer = await api.json<CredentialUses>({ path });
    const rows = answer.uses.map((one) => [one.kind, one.name, one.detail]);
    output.data(answer, () => (rows.length > 0 ? output.table(['kind', 'name', 'where'], rows) : ''));
    if (rows.length === 0) output.note(`nothing uses ${args[0]}`);
    if (answer.more) output.note('the list is not complete');
    return undefined;
  };
