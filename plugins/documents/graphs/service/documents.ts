import type { SealContext, Sealer } from '../../../../kernel/contracts/index.ts';
import type { VersionRow } from '../store/versions.ts';

type VersionKey = Pick<VersionRow, 'org_id' | 'project_id' | 'name' | 'version_number' | 'revision'>;

/** The sealed place of a version's document. */
const sealContextOf = ({ org_id, project_id, name, version_number, revision }: VersionKey): SealContext => ({
  org_id,
  project_id,
  table: 'graphs_versions',
  kind: 'graph',
  name: `${name}/${version_number}/${revision}`,
  field: 'document',
});

export const sealDocument = (sealer: Sealer, at: VersionKey, source: string): Buffer =>
  sealer.seal(sealContextOf(at), Buffer.from(source));

/** Decrypts the text of a document. The caller must have prepared the keys of the org. */
export const openDocument = (sealer: Sealer, row: VersionRow): string =>
  sealer.open(sealContextOf(row), row.document).toString();
