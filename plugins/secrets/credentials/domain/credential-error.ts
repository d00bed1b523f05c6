import type { ServiceError } from '../../../../kernel/contracts/index.ts';
import type { CredentialState, CredentialRequest } from '../contract.ts';
import { CredentialErrors } from '../errors.ts';
import { hostOf } from './hosts.ts';

/** Names come from documents, which may contain anything. No credential has a longer name. */
const MAX_NAME_LENGTH = 63;

/** Returns the error for a name that cannot be used; undefined when it can. */
export function toCredentialError(
  { name, kinds = [], destination }: CredentialRequest,
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
    case 'host_not_allowed':
      return CredentialErrors.credentialHostNotAllowed(
        `the credential ${short_name} can be sent only to ${state.hosts.join(', ')}, not to ${describe(destination)}`,
      );
    case 'conflict':
      return CredentialErrors.credentialConflict(`a credential and a connected account have the name ${short_name}`);
    case 'needs_reconnect':
      return CredentialErrors.accountNeedsReconnect(
        `reconnect the account ${short_name}: ${state.why ?? 'its grant can no longer be used'}`,
      );
  }
}

/** The longest host name of DNS. */
const MAX_HOST_LENGTH = 253;

function describe(destination: CredentialRequest['destination']): string {
  if (typeof destination === 'object') return hostOf(destination.url).slice(0, MAX_HOST_LENGTH) || 'this address';
  return 'a job, whose program can send it anywhere';
}
