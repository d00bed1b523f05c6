import type { GraphNodeType, NamedCredential, NodeConfig } from '../../graphs/contract.ts';
import { configFaults, hasExpr } from '../domain/config.ts';
import { kindsFor } from '../domain/given.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };

/** `http` in graphs. Its flow node has the same config. */
export const httpGraphNode: GraphNodeType = {
  type: 'http',
  title: 'Sends one HTTP request',
  config: schema,
  faults: configFaults,
  credentials: credentialsOf,
};

function credentialsOf({ url = null, credential }: NodeConfig): NamedCredential[] {
  if (typeof credential !== 'string') return [];
  const named = { name: credential, pointer: '/credential' };
  // Where an expression gives the URL, the kind is known when the request is made.
  return [hasExpr(url) ? named : { ...named, kinds: kindsFor(String(url)) }];
}
