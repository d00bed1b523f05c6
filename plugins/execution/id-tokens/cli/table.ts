import { adminCommand, type Command } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  adminCommand('rotate-id-token-key', {
    summary: 'replace the key that signs ID tokens',
    description:
      'The new key is published at once and signs after 10 minutes, when every verifier has read it. The old key stays published\n' +
      'until its tokens have expired. svc also does this automatically every 90 days. With --revoke, the new key signs at once and all\n' +
      'older keys are removed: their tokens stop working.',
    flags: { revoke: { type: 'boolean', summary: 'the old key may have leaked: invalidate its tokens' } },
    examples: [['svc admin rotate-id-token-key --revoke', 'after the database and the master key were exposed']],
  }),
];
