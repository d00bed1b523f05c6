import type { CredentialState, CredentialWish } from '../../credentials/contract.ts';
import { type CheckedGraph, worker } from './graph.ts';

/** A credential that a node of a graph names. */
export interface GraphCredential extends CredentialWish {
  node_id: string;
  /** In the document. */
  pointer: string;
}

/** What the nodes of a graph name literally, in their order. */
export function namedCredentials({ nodes }: CheckedGraph): GraphCredential[] {
  return nodes.flatMap((typed) => {
    const { type, config, pointer } = worker(typed);
    return (type.credentials?.(config) ?? []).map((one) => ({
      ...one,
      pointer: pointer + one.pointer,
      node_id: typed.node.id,
    }));
  });
}

export const kindsOf = ({ kinds = [] }: CredentialWish): string => kinds.join('|');

/** What is the matter with a credential, for people; undefined when it can be used. */
export function trouble(named: GraphCredential, state: CredentialState): string | undefined {
  const { node_id, name } = named;
  switch (state.state) {
    case 'ok':
      return undefined;
    case 'missing':
      return `node ${node_id} names the credential ${name}, which the project does not have`;
    case 'conflict':
      return `node ${node_id} names ${name}, which a credential and a connected account hold: it resolves to neither`;
    case 'needs_reconnect':
      return `node ${node_id} names the connected account ${name}, which must be connected again`;
    case 'wrong_kind':
      return `node ${node_id} needs a credential of kind ${kindsOf(named)}, and ${name} is of kind ${state.stored_kind}`;
  }
}
