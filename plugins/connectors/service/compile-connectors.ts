import type { Expressions } from '../../../kernel/contracts/index.ts';
import type { Connector, ManifestFault } from '../../manifests/contract.ts';
import type { ConnectorAction, ConnectorActions } from '../contract.ts';
import { compileAction } from '../domain/action.ts';
import { exampleFaults } from '../domain/examples.ts';

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
