import type { ServiceError } from '../../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialRequest } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';

/** Names come from documents, which may contain anything. No credential has a longer name. */
const MAX_NAME_LENGTH = 63;

/** Returns the error for a name that cannot be used; undefined when it can. */
export function toCredentialError(
  { name, kinds = [] }: CredentialRequest,
  state: CredentialState,
): ServiceError | undefined {
  const short_name = name.slice(0, MAX_NAME_LENGTH);
  switch (state.state) {
    case 'ok':
      return undefined;
    case 'missing':
      return CredentialErrors.credentialMissing(`the project has no credential ${short_name}`);
    case 'wrong_kind':
      return CredentialErrors.credentialWrongKind(
        `${short_name} is of kind ${state.stored_kind}; ${kinds.join(', ')} is needed`,
      );
    case 'conflict':
      return CredentialErrors.credentialConflict(`a credential and a connected account have the name ${short_name}`);
    case 'needs_reconnect':
      return CredentialErrors.accountNeedsReconnect(
        `reconnect the account ${short_name}: ${state.why ?? 'its grant can no longer be used'}`,
      );
  }
}
