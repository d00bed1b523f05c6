import type { ServiceError } from '../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialWish } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';

/** Names come from documents; a longer one exists nowhere. */
const SHOWN_LENGTH = 63;

/** Why a name cannot be used; undefined when it can. */
export function refusalOf({ name, kinds = [] }: CredentialWish, state: CredentialState): ServiceError | undefined {
  const shown = name.slice(0, SHOWN_LENGTH);
  switch (state.state) {
    case 'ok':
      return undefined;
    case 'missing':
      return CredentialErrors.credentialMissing(`the project has no credential ${shown}`);
    case 'wrong_kind':
      return CredentialErrors.credentialWrongKind(
        `${shown} is of kind ${state.stored_kind}; ${kinds.join(', ')} is needed`,
      );
    case 'conflict':
      return CredentialErrors.credentialConflict(`a credential and a connected account have the name ${shown}`);
    case 'needs_reconnect':
      return CredentialErrors.accountNeedsReconnect(
        `reconnect the account ${shown}: ${state.why ?? 'its grant can no longer be used'}`,
      );
  }
}
