import { defineError } from '../../../kernel/contracts/index.ts';
import { signatureInvalid } from '../manifests/contract.ts';

export const HookErrors = {
  secretMissing: defineError({
    code: 'hook_secret_missing',
    status: 401,
    title: 'The delivery has no secret.',
    next: "Send the hook's secret in the X-Svc-Hook-Secret header.",
  }),
  secretWrong: defineError({
    code: 'hook_secret_wrong',
    status: 401,
    title: "No hook at this address has the delivery's secret.",
    next: 'Check the address and the secret against the response that created the hook. `svc event-hook rotate` creates a new secret.',
  }),
  /** The plugin `manifests` defines this code, because its sections describe what is signed. */
  signatureInvalid,
  hookOwned: defineError({
    code: 'hook_owned',
    status: 409,
    title: 'The hook belongs to another resource.',
    next: 'Change or remove the resource shown in `detail`; its hook changes with it.',
  }),
  hooksFull: defineError({
    code: 'hooks_full',
    status: 409,
    title: 'The project has reached the limit for hooks.',
    next: 'Remove hooks that are no longer used (`svc event-hook rm`).',
  }),
} as const;
