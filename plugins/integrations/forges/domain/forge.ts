import { type Expression, type Expressions, isServiceError } from '../../../../kernel/contracts/index.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import {
  type ConnectorManifest,
  type ForgeSection,
  type ForgeShape,
  type HookSection,
  ManifestErrors,
} from '../../manifests/contract.ts';
import type { JsonObject } from './json-pointer.ts';

/** The forge section of a manifest with compiled expressions. */
export interface Forge {
  name: string;
  hook: HookSection;
  section: ForgeSection;
  /** Returns true when only members of the project can have caused the event. An unknown result counts as false. */
  isTrusted(event: string, payload: JsonObject): boolean;
  /** Returns true when the forge reports that its file lists are complete. */
  hasAllPaths(payload: JsonObject): boolean;
  /** Returns true when the push removed its ref. */
  isRefRemoved(payload: JsonObject): boolean;
}

const ROOTS = ['payload'];

/**
 * Reads the forge section of a manifest. Throws `connector_invalid` and names what does not compile. With `at_use`,
 * rules are compiled at their first use.
 */
export function readForge(
  { name, hook, forge }: ConnectorManifest,
  expressions: Expressions,
  at_use = false,
): Forge | undefined {
  if (forge === undefined) return undefined;
  if (hook === undefined) throw invalid(name, '/hook', 'is required with `forge`, because deliveries must be verified');
  const compileRule = (source: string, pointer: string): Rule => {
    const rule = () => compile(expressions, source, name, pointer);
    if (!at_use) rule();
    // The compiled expression is cached with all others.
    return rule;
  };
  const trust = new Map<string, Rule>();
  for (const [event, source] of Object.entries(forge.trust))
    trust.set(event, compileRule(source!, pointerTo('/forge/trust', event)));
  const hasShape = shapeCheck(forge.shape);
  const all = compileRule(forge.push.paths_known, '/forge/push/paths_known');
  const deleted = compileRule(forge.push.deleted ?? 'false', '/forge/push/deleted');
  return {
    name,
    hook,
    section: forge,
    isTrusted: (event, payload) => hasShape(event, payload) && testRule(trust.get(event), payload),
    hasAllPaths: (payload) => testRule(all, payload),
    isRefRemoved: (payload) => testRule(deleted, payload),
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
 * Checks that a payload has the shape of its event. The event's name is in a header that no signature covers, so an
 * outsider could send a signed payload of another event under this name.
 */
function shapeCheck({ needs, only }: ForgeShape = { needs: {}, only: {} }) {
  const required = new Map(Object.entries(needs));
  const reserved = new Map(Object.entries(only));
  return (event: string, payload: JsonObject): boolean =>
    (required.get(event) ?? []).every((member) => Object.hasOwn(payload, member)) &&
    Object.keys(payload).every((member) => reserved.get(member)?.includes(event) ?? true);
}

function testRule(rule: Rule | undefined, payload: JsonObject): boolean {
  const result = rule?.().test({ payload });
  return result?.ok === true && result.value;
}
