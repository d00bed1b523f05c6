import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { ManifestProblem, ManifestReading } from '../../manifests/contract.ts';
import type { DocumentCheck } from '../../../engine/runs/contract.ts';
import { positionOf, readJsonText } from '../../../platform/schema/contract.ts';
import { checkConnector } from './compile-connectors.ts';

/** Checks the manifest of a connector: its form, its templates, and its examples. */
export const manifestCheck = (expressions: Expressions, reading: ManifestReading): DocumentCheck => ({
  kind: 'connector',
  recognises: (document) => 'manifest' in document,
  async check(_scope, source) {
    const read = readJsonText(source);
    if ('error' in read) return [{ ...read.error, code: 'json_invalid' }];
    const checked = reading.check(read.value);
    const problems = 'problems' in checked ? checked.problems : checkConnector({ ...checked, origin: '' }, expressions);
    return problems.map((problem) => toProblem(source, problem));
  },
});

const toProblem = (source: string, { pointer, message, rule, fix }: ManifestProblem) => ({
  ...positionOf(source, pointer),
  message: `${pointer} ${message}; ${fix}`.trimStart(),
  code: `connector_${rule}`,
});
