import type { GraphNodeType, NamedCredential, NodeConfig } from '../../../engine/flows/contract.ts';
import type { Expressions, Fault } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { type AnswerRules, validateAnswerRules } from '../contract.ts';
import { validateConfig, hasExpr } from '../domain/config.ts';
import { kindsFor } from '../domain/authentication.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };

/** `http` in graphs. Its flow node has the same config. */
export const httpGraphNode = (expressions: () => Expressions): GraphNodeType => ({
  type: 'http',
  title: 'Sends one HTTP request',
  config: schema,
  faults: (config) => [...validateConfig(config), ...validateRules(config, expressions)],
  credentials: credentialsOf,
});

function validateRules({ failed_when, paginate }: NodeConfig, expressions: () => Expressions): Fault[] {
  const literal = { failed_when, paginate };
  if ((failed_when ?? paginate) === undefined || hasExpr(literal as Json)) return [];
  return validateAnswerRules(literal as AnswerRules, expressions());
}

function credentialsOf({ url = null, credential }: NodeConfig): NamedCredential[] {
  if (typeof credential !== 'string') return [];
  const named = { name: credential, pointer: '/credential' };
  // When an expression gives the URL, the kind is known only when the request is made.
  if (hasExpr(url)) return [named];
  const literal = { ...named, kinds: kindsFor(String(url)) };
  return [URL.canParse(String(url)) ? { ...literal, destination: { url: String(url) } } : literal];
}
