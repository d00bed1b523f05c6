import { type AdminCommand, iso } from '../../../../kernel/contracts/index.ts';
import type { SigningKeys } from '../service/signing-keys.ts';

export const rotateKeyCommand = (keys: () => SigningKeys): AdminCommand => ({
  name: 'rotate-id-token-key',
  summary: 'Replaces the key that signs ID tokens. The old key stays published until its tokens have expired.',
  usage: 'svc admin rotate-id-token-key [--revoke]',
  flags: [{ name: 'revoke', type: 'boolean', summary: 'sign with the new key at once and remove all older keys' }],
  async run(_use, { revoke }) {
    const { key_id, signs_from, pending } = await keys().rotate(revoke === true ? 'revoke' : 'requested');
    const from = iso(signs_from);
    const text = pending
      ? `a rotation is already in progress: key ${key_id} signs from ${from}`
      : `key ${key_id} signs from ${from}`;
    return { json: { key_id, signs_from: from, pending }, text };
  },
});
