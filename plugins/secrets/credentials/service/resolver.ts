import type { Database, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type {
  CredentialFields,
  Credentials,
  CredentialState,
  CredentialRequest,
  CredentialSource,
} from '../contract.ts';
import { rawOf } from '../contract/raw.ts';
import { toCredentialError } from '../domain/credential-error.ts';
import { checkUse, findStates, stateOf } from './states.ts';

/** Gets the fields of a name from the side that has it: credentials or accounts. */
export function createResolver(
  database: Pick<Database, 'read'>,
  sources_all: readonly CredentialSource[],
): Credentials {
  async function resolve(scope: ProjectScope, request: CredentialRequest): Promise<CredentialFields> {
    const sources = (await findStates(sources_all, database, scope, [request.name])).get(request.name);
    const state = stateOf(request, sources);
    if (state.state !== 'ok') throw credentialError(request, state);
    const found = await sources![0]!.by.fields(scope, request.name, request.by);
    // The state may have changed since it was read.
    if (found === undefined) throw credentialError(request, await currentState(scope, request));
    const { fields, hosts } = found;
    const use = checkUse(request, { kind: fields.kind, ...(hosts && { hosts }) });
    if (use.state !== 'ok') throw credentialError(request, use);
    return fields;
  }
  /** Reads the state again: the name was removed, or is no longer usable. */
  async function currentState(scope: ProjectScope, request: CredentialRequest): Promise<CredentialState> {
    const state = stateOf(request, (await findStates(sources_all, database, scope, [request.name])).get(request.name));
    return state.state === 'ok' ? { state: 'missing' } : state;
  }
  return {
    resolve,
    raw: async (scope, request) => rawOf(await resolve(scope, request)),
    reportRejected: (scope, name) => {
      for (const holder of sources_all) holder.onRejected?.(scope, name);
    },
  };
}

const credentialError = (request: CredentialRequest, state: CredentialState): ServiceError =>
  toCredentialError(request, state)!;
