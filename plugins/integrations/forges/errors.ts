import { defineError } from '../../../kernel/contracts/index.ts';
import { signatureInvalid } from '../manifests/contract.ts';

export const ForgeErrors = {
  /** The plugin `manifests` defines this code, because its sections describe what is signed. */
  signatureInvalid,
  webhooksFull: defineError({
    code: 'webhooks_full',
    status: 409,
    title: 'The project has reached the limit for webhooks.',
    next: 'Remove webhooks that are no longer used (`svc webhook rm`).',
  }),
  deliveryForeign: defineError({
    code: 'delivery_foreign',
    status: 422,
    title: 'The delivery is for a different repository than the webhook.',
    next: 'Register a webhook for that repository (`svc webhook set`), or remove this one at the forge.',
  }),
  forgeRefused: defineError({
    code: 'forge_refused',
    status: 424,
    title: 'The forge rejected the request.',
    next: "Read its response in `detail`. The token needs permission to administer the repository's webhooks.",
  }),
} as const;
