import type { Queries } from '../../../../kernel/contracts/index.ts';
import { chunks } from '../../../../kernel/contracts/index.ts';
import { canExist, type ProjectScope } from '../../../platform/resources/contract.ts';
import type {
  CredentialKind,
  CredentialState,
  CredentialStates,
  CredentialRequest,
  SourceState,
  CredentialSource,
} from '../contract.ts';
import { allowsHost } from '../domain/hosts.ts';
import { CREDENTIAL } from '../domain/names.ts';
import { toCredentialError } from '../domain/credential-error.ts';

/** A side that has a name, and the state that it reports. */
export interface SourcedState {
  by: CredentialSource;
  state: SourceState;
}

type Reading = Pick<Queries, 'read'>;

export const createStates = (sources: readonly CredentialSource[]): CredentialStates => ({
  toError: toCredentialError,
  async states(on, scope, requests) {
    const names = requests.map(({ name }) => name);
    const states = await findStates(sources, on, scope, names);
    return requests.map((request) => stateOf(request, states.get(request.name)));
  },
});

/** Reads the states of all names from every side at once. */
export async function findStates(
  sources: readonly CredentialSource[],
  on: Reading,
  scope: ProjectScope,
  names: readonly string[],
): Promise<Map<string, SourcedState[]>> {
  const states = new Map<string, SourcedState[]>();
  const possible = [...new Set(names)].filter((name) => canExist(CREDENTIAL, name));
  for (const batch of chunks(possible))
    for (const by of sources)
      for (const [name, state] of await by.states(on, scope, batch))
        states.set(name, [...(states.get(name) ?? []), { by, state }]);
  return states;
}

/** Decides the state of a name. A name that both sides have resolves to neither. */
export function stateOf(request: CredentialRequest, candidates: readonly SourcedState[] = []): CredentialState {
  const [only, other] = candidates;
  if (only === undefined) return { state: 'missing' };
  if (other !== undefined) return { state: 'conflict' };
  const { state: says } = only;
  return says.state === 'ok' ? checkUse(request, says) : says;
}

/** Decides whether a credential of this kind, limited to these hosts, can be used for a request. */
export function checkUse(
  { kinds, destination }: CredentialRequest,
  { kind, hosts }: { kind: CredentialKind; hosts?: readonly string[] },
): CredentialState {
  if (kinds?.includes(kind) === false) return { state: 'wrong_kind', stored_kind: kind };
  if (hosts === undefined || destination === undefined) return { state: 'ok', kind };
  const is_allowed = destination !== 'job' && allowsHost(hosts, destination.url);
  return is_allowed ? { state: 'ok', kind } : { state: 'host_not_allowed', hosts };
}
