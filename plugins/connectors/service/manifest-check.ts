import type { Expressions } from '../../../kernel/contracts/index.ts';
import type { ManifestFault, ManifestReading } from '../../manifests/contract.ts';
import type { DocumentCheck } from '../../runs/contract.ts';
import { placeOf, readJsonText } from '../../schema/contract.ts';
import { checkConnector } from './compile-connectors.ts';

/** The manifest of a connector: its form, its templates, and its examples carried out. */
export const manifestCheck = (expressions: Expressions, reading: ManifestReading): DocumentCheck => ({
  kind: 'connector',
  recognises: (document) => 'manifest' in document,
  async check(_scope, source) {
    const read = readJsonText(source);
    if ('fault' in read) return [{ ...read.fault, code: 'json_invalid' }];
    const checked = reading.check(read.value);
    const faults = 'faults' in checked ? checked.faults : checkConnector({ ...checked, origin: '' }, expressions);
    return faults.map((fault) => problemOf(source, fault));
  },
});

const problemOf = (source: string, { pointer, message, rule, fix }: ManifestFault) => ({
  ...placeOf(source, pointer),
  message: `${pointer} ${message}; ${fix}`.trimStart(),
  code: `connector_${rule}`,
});
