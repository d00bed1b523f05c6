import { defineError } from '../../../kernel/contracts/index.ts';
import { untrustedRunDeclaresCredential } from './contract.ts';

export const CredentialErrors = {
  credentialMissing: defineError({
    code: 'credential_missing',
    status: 422,
    title: 'The workflow refers to a credential that does not exist.',
    next: "Create it with `svc credential set`, or fix the name. `svc credential ls` shows the project's credentials.",
  }),
  credentialWrongKind: defineError({
    code: 'credential_wrong_kind',
    status: 422,
    title: 'The credential has the wrong kind.',
    next: 'Create a credential of the kind shown in `detail` (`svc credential set --kind …`), or use another one.',
  }),
  credentialConflict: defineError({
    code: 'credential_conflict',
    status: 409,
    title: 'A credential and a connected account have the same name.',
    next: 'Remove one of the two: `svc credential rm` or `svc account rm`.',
  }),
  credentialHostNotAllowed: defineError({
    code: 'credential_host_not_allowed',
    status: 422,
    title: 'The credential is limited to other hosts. Nothing was sent.',
    next: 'Fix the address, use another credential, or have an admin set the credential again with this `--host` as well.',
  }),
  accountNeedsReconnect: defineError({
    code: 'account_needs_reconnect',
    status: 422,
    title: 'The connected account is no longer usable.',
    next: "Reconnect the account under the same name on the console's Connections page.",
  }),
  untrustedRunDeclaresCredential,
} as const;
