import { type Expression, type Expressions, isServiceError } from '../../../kernel/contracts/index.ts';
import { pointerTo } from '../../schema/contract.ts';
import {
  type ConnectorManifest,
  type ForgeSection,
  type ForgeShape,
  type HookSection,
  ManifestErrors,
} from '../../manifests/contract.ts';
import type { JsonObject } from './places.ts';

/** The forge section of a manifest with compiled expressions. */
export interface Forge {
  name: string;
  hook: HookSection;
  section: ForgeSection;
  /** True when only project members can have caused this. An unknown answer counts as false. */
  trusts(event: string, payload: JsonObject): boolean;
  /** True when the forge says that its file lists are complete. */
  sentAllPaths(payload: JsonObject): boolean;
  /** True when the pushed ref was removed. */
  removedRef(payload: JsonObject): boolean;
}

const ROOTS = ['payload'];

/**
 * The forge of a manifest that has one. Throws `connector_invalid` and names what does not compile. With `at_use`, rules are
 * compiled when they are first asked.
 */
export function readForge(
  { name, hook, forge }: ConnectorManifest,
  expressions: Expressions,
  at_use = false,
): Forge | undefined {
  if (forge === undefined) return undefined;
  if (hook === undefined) throw invalid(name, '/hook', 'is required with `forge`, because deliveries must be verified');
  const compiled = (source: string, pointer: string): Rule => {
    const rule = () => compile(expressions, source, name, pointer);
    if (!at_use) rule();
    // It is kept where all compiled expressions are.
    return rule;
  };
  const trust = new Map<string, Rule>();
  for (const [event, source] of Object.entries(forge.trust))
    trust.set(event, compiled(source!, pointerTo('/forge/trust', event)));
  const hasShape = shapeCheck(forge.shape);
  const all = compiled(forge.push.paths_known, '/forge/push/paths_known');
  const deleted = compiled(forge.push.deleted ?? 'false', '/forge/push/deleted');
  return {
    name,
    hook,
    section: forge,
    trusts: (event, payload) => hasShape(event, payload) && isTrue(trust.get(event), payload),
    sentAllPaths: (payload) => isTrue(all, payload),
    removedRef: (payload) => isTrue(deleted, payload),
  };
}

type Rule = () => Expression;

function compile(expressions: Expressions, source: string, name: string, pointer: string): Expression {
  try {
    return expressions.compile(source, ROOTS);
  } catch (error) {
    if (isServiceError(error)) throw invalid(name, pointer, error.message);
    throw error;
  }
}

const invalid = (name: string, pointer: string, message: string) =>
  ManifestErrors.connectorInvalid(`${name}: ${pointer}: ${message}`);

/**
 * The name of an event is in a header that no signature covers. What was signed as another event, which an outsider may have
 * caused, is none of this one.
 */
function shapeCheck({ needs, only }: ForgeShape = { needs: {}, only: {} }) {
  const needed = new Map(Object.entries(needs));
  const reserved = new Map(Object.entries(only));
  return (event: string, payload: JsonObject): boolean =>
    (needed.get(event) ?? []).every((member) => Object.hasOwn(payload, member)) &&
    Object.keys(payload).every((member) => reserved.get(member)?.includes(event) ?? true);
}

function isTrue(rule: Rule | undefined, payload: JsonObject): boolean {
  const found = rule?.().test({ payload });
  return found?.ok === true && found.value;
}
