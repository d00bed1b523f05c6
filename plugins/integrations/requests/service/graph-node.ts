import type { GraphNodeType, NamedCredential, NodeConfig } from '../../../engine/flows/contract.ts';
import { validateConfig, hasExpr } from '../domain/config.ts';
import { kindsFor } from '../domain/authentication.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };

/** `http` in graphs. Its flow node has the same config. */
export const httpGraphNode: GraphNodeType = {
  type: 'http',
  title: 'Sends one HTTP request',
  config: schema,
  faults: validateConfig,
  credentials: credentialsOf,
};

function credentialsOf({ url = null, credential }: NodeConfig): NamedCredential[] {
  if (typeof credential !== 'string') return [];
  const named = { name: credential, pointer: '/credential' };
  // When an expression gives the URL, the kind is known only when the request is made.
  return [hasExpr(url) ? named : { ...named, kinds: kindsFor(String(url)) }];
}
