import type { Expressions } from '../../../../kernel/contracts/index.ts';
import {
  type Connector,
  type ConnectorManifest,
  formatProblem,
  ManifestErrors,
  type ManifestProblem,
} from '../../manifests/contract.ts';
import type { ConnectorAction, ConnectorActions, ConnectorTest, ConnectorTrigger } from '../contract.ts';
import { compileAction, describeAction } from '../domain/action.ts';
import { validateExamples } from '../domain/examples.ts';
import { compileTest } from '../domain/test-request.ts';
import { compileTrigger } from '../domain/trigger.ts';

/**
 * The actions of a connector that comes with svc. Each is compiled at its first use, because loading the expression
 * library takes a tenth of a second and 25 MB.
 */
export function builtinActions({ manifest }: Connector, expressions: Expressions): ConnectorAction[] {
  return Object.keys(manifest.actions ?? {}).map((name) => {
    let compiled: ConnectorAction | undefined;
    const lower: ConnectorAction['lower'] = (call) => {
      compiled ??= compileOrThrow(manifest, name, expressions);
      return compiled.lower(call);
    };
    return { ...describeAction(manifest, name), lower };
  });
}

/** Throws `connector_invalid`. */
function compileOrThrow(manifest: ConnectorManifest, name: string, expressions: Expressions): ConnectorAction {
  const compiled = compileAction(manifest, name, expressions);
  if ('action' in compiled) return compiled.action;
  throw ManifestErrors.connectorInvalid(compiled.problems.map(formatProblem).join('\n'));
}

/** The actions, triggers and test of a connector, and what is wrong with their templates. */
export function compileConnector(
  { manifest }: Connector,
  expressions: Expressions,
): {
  actions: ConnectorAction[];
  triggers: ConnectorTrigger[];
  test: ConnectorTest | undefined;
  problems: ManifestProblem[];
} {
  const compiled = Object.keys(manifest.actions ?? {}).map((name) => compileAction(manifest, name, expressions));
  const actions = compiled.flatMap((one) => ('action' in one ? [one.action] : []));
  const read = Object.keys(manifest.triggers ?? {}).map((name) => compileTrigger(manifest, name, expressions));
  const triggers = read.flatMap((one) => ('trigger' in one ? [one.trigger] : []));
  const { test: described } = manifest;
  const tests = described === undefined ? [] : [compileTest({ ...manifest, test: described }, expressions)];
  const [test] = tests.flatMap((one) => ('test' in one ? [one.test] : []));
  const problems = [...compiled, ...read, ...tests].flatMap((one) => ('problems' in one ? one.problems : []));
  return { actions, triggers, test, problems };
}

/** Everything that is wrong with a connector: its examples are carried out too. */
export function checkConnector(connector: Connector, expressions: Expressions): ManifestProblem[] {
  const { actions, problems } = compileConnector(connector, expressions);
  return problems.length > 0 ? problems : validateExamples(connector.manifest, actions, expressions);
}

/** Actions by their node types. */
export function actionList(actions: readonly ConnectorAction[]): ConnectorActions {
  const sorted = actions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const byType = new Map(sorted.map((one) => [one.type, one]));
  return { find: (type) => byType.get(type), all: () => sorted };
}
