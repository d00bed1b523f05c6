import { defineError } from '../../kernel/contracts/index.ts';
import { signatureInvalid } from '../manifests/contract.ts';

export const ForgeErrors = {
  /** Of the manifests, whose sections say what is signed. */
  signatureInvalid,
  webhooksFull: defineError({
    code: 'webhooks_full',
    status: 409,
    title: 'The project has as many webhooks as it may have.',
    next: 'Remove webhooks that nothing delivers to any more (`svc webhook rm`).',
  }),
  deliveryForeign: defineError({
    code: 'delivery_foreign',
    status: 422,
    title: 'The delivery is about another repository than the webhook.',
    next: 'Register a webhook for that repository (`svc webhook set`), or remove this one at the forge.',
  }),
  forgeRefused: defineError({
    code: 'forge_refused',
    status: 424,
    title: 'The forge did not do what it was asked.',
    next: 'See what it answered; the token needs the permission to administer webhooks of the repository.',
  }),
  /** Declared alike by those who keep credentials. */
  credentialMissing: defineError({
    code: 'credential_missing',
    status: 422,
    title: 'A credential that is named does not exist.',
    next: 'Store it (`svc credential set`) or correct the name; `svc credential list` shows those there are.',
  }),
  credentialWrongKind: defineError({
    code: 'credential_wrong_kind',
    status: 422,
    title: 'A credential of another kind is needed here.',
    next: 'Store one of the kind that is named (`svc credential set --kind …`), or name another.',
  }),
  /** Declared alike by those who read manifests. */
  connectorInvalid: defineError({
    code: 'connector_invalid',
    status: 500,
    title: 'A connector manifest cannot be used.',
    next: 'Correct the file at the place that is named, or leave it out of SVC_CONNECTORS; then start again.',
  }),
} as const;
