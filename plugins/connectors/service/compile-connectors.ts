import type { Expressions } from '../../../kernel/contracts/index.ts';
import {
  type Connector,
  type ConnectorManifest,
  faultLine,
  ManifestErrors,
  type ManifestFault,
} from '../../manifests/contract.ts';
import type { ConnectorAction, ConnectorActions } from '../contract.ts';
import { compileAction, namedAction } from '../domain/action.ts';
import { exampleFaults } from '../domain/examples.ts';

/**
 * The actions of a connector that comes with svc, each compiled at its first use: the library of expressions takes a tenth
 * of a second and 25 MB, which servers that use none of them should not spend.
 */
export function ownActions({ manifest }: Connector, expressions: Expressions): ConnectorAction[] {
  return Object.keys(manifest.actions ?? {}).map((name) => {
    let compiled: ConnectorAction | undefined;
    const lower: ConnectorAction['lower'] = (call) => {
      compiled ??= soundAction(manifest, name, expressions);
      return compiled.lower(call);
    };
    return { ...namedAction(manifest, name), lower };
  });
}

/** Throws `connector_invalid`. */
function soundAction(manifest: ConnectorManifest, name: string, expressions: Expressions): ConnectorAction {
  const compiled = compileAction(manifest, name, expressions);
  if ('action' in compiled) return compiled.action;
  throw ManifestErrors.connectorInvalid(compiled.faults.map(faultLine).join('\n'));
}

/** The actions of a connector, and what is wrong with their templates. */
export function compileConnector(
  { manifest }: Connector,
  expressions: Expressions,
): { actions: ConnectorAction[]; faults: ManifestFault[] } {
  const compiled = Object.keys(manifest.actions ?? {}).map((name) => compileAction(manifest, name, expressions));
  const actions = compiled.flatMap((one) => ('action' in one ? [one.action] : []));
  const faults = compiled.flatMap((one) => ('faults' in one ? one.faults : []));
  return { actions, faults };
}

/** Everything that is wrong with a connector: its examples are carried out too. */
export function checkConnector(connector: Connector, expressions: Expressions): ManifestFault[] {
  const { actions, faults } = compileConnector(connector, expressions);
  return faults.length > 0 ? faults : exampleFaults(connector.manifest, actions);
}

/** Actions by their node types. */
export function actionList(actions: readonly ConnectorAction[]): ConnectorActions {
  const sorted = actions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const byType = new Map(sorted.map((one) => [one.type, one]));
  return { find: (type) => byType.get(type), all: () => sorted };
}
