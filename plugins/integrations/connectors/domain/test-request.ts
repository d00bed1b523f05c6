import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestProblem, ManifestTest } from '../../manifests/contract.ts';
import type { ConnectorTest } from '../contract.ts';
import { compileAction } from './action.ts';

const NAME = 'test';

/**
 * Compiles the test request of a connector, as that of an action without inputs. It requires only those fields of which its
 * address is made: whoever tests a credential has not chosen a channel yet.
 */
export function compileTest(
  connector: ConnectorManifest & { test: ManifestTest },
  expressions: Expressions,
): { test: ConnectorTest } | { problems: readonly ManifestProblem[] } {
  const { test, fields = [] } = connector;
  const { request, failed_when } = test;
  const action = { request, ...(failed_when ? { failed_when } : {}) };
  const optional = fields.map((field) => ({ ...field, required: false }));
  const compiled = compileAction({ ...connector, fields: optional, actions: { [NAME]: action } }, NAME, expressions);
  if ('action' in compiled)
    return {
      test: {
        connector,
        described: test,
        lower: (values) => compiled.action.lower({ with: values, input: {}, node: { idempotency_key: '' } }),
      },
    };
  return {
    problems: compiled.problems.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/actions\/test/, '/test') })),
  };
}
