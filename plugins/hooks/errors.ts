import { defineError } from '../../kernel/contracts/index.ts';
import { signatureInvalid } from '../manifests/contract.ts';

export const HookErrors = {
  secretMissing: defineError({
    code: 'hook_secret_missing',
    status: 401,
    title: 'The delivery carries no secret.',
    next: 'Send the secret of the hook in the header X-Svc-Hook-Secret.',
  }),
  secretWrong: defineError({
    code: 'hook_secret_wrong',
    status: 401,
    title: 'The secret of the delivery is not that of a hook at this address.',
    next: 'Compare address and secret with the answer that made the hook; `svc event-hook rotate` makes a new secret.',
  }),
  /** Of the manifests, whose sections say what is signed. */
  signatureInvalid,
  hookOwned: defineError({
    code: 'hook_owned',
    status: 409,
    title: 'The hook belongs to what made it.',
    next: 'Change or remove what is named in `detail`; its hook follows.',
  }),
  hooksFull: defineError({
    code: 'hooks_full',
    status: 409,
    title: 'The project has as many hooks as it may have.',
    next: 'Remove hooks that nothing delivers to any more (`svc event-hook rm`).',
  }),
} as const;
