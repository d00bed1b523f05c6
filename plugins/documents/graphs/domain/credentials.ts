import type { CredentialState, CredentialRequest } from '../../../secrets/credentials/contract.ts';
import { type CheckedGraph, everyNode, workNode } from './graph.ts';

/** A credential that a node of a graph names. */
export interface GraphCredential extends CredentialRequest {
  /** The node's ID, after those of the loops around it: `regions/notify`. */
  node_id: string;
  /** The JSON pointer into the document. */
  pointer: string;
}

/** Lists the credentials that the nodes of a graph and of its loops name literally, in the order of the nodes. */
export function namedCredentials(graph: CheckedGraph): GraphCredential[] {
  return [...everyNode(graph)].flatMap(({ typed, document_pointer, path }) => {
    const { type, config, pointer } = workNode(typed);
    return (type.credentials?.(config) ?? []).map((one) => ({
      ...one,
      pointer: document_pointer + pointer + one.pointer,
      node_id: path,
    }));
  });
}

export const formatKinds = ({ kinds = [] }: CredentialRequest): string => kinds.join('|');

/** Describes why a credential cannot be used; undefined when it can. */
export function describeProblem(named: GraphCredential, state: CredentialState): string | undefined {
  const { node_id, name } = named;
  switch (state.state) {
    case 'ok':
      return undefined;
    case 'missing':
      return `node ${node_id} names the credential ${name}, which the project does not have`;
    case 'conflict':
      return `node ${node_id} names ${name}, which is the name of a credential and of a connected account: it resolves to neither`;
    case 'needs_reconnect':
      return `node ${node_id} names the connected account ${name}, which must be connected again`;
    case 'host_not_allowed':
      return `node ${node_id} names the credential ${name}, which can be sent only to ${state.hosts.join(', ')}`;
    case 'wrong_kind':
      return `node ${node_id} needs a credential of kind ${formatKinds(named)}, but ${name} is of kind ${state.stored_kind}`;
  }
}
