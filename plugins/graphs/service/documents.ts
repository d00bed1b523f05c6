import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { VersionRow } from '../store/versions.ts';

type Place = Pick<VersionRow, 'org_id' | 'project_id' | 'name' | 'version_number' | 'revision'>;

/** The sealed place of a version's document. */
const placeOf = ({ org_id, project_id, name, version_number, revision }: Place): SealedPlace => ({
  org_id,
  project_id,
  table: 'graphs_versions',
  kind: 'graph',
  name: `${name}/${version_number}/${revision}`,
  field: 'document',
});

export const sealDocument = (sealer: Sealer, at: Place, source: string): Buffer =>
  sealer.seal(placeOf(at), Buffer.from(source));

/** The text of a document. The org's keys are ready. */
export const openDocument = (sealer: Sealer, row: VersionRow): string =>
  sealer.open(placeOf(row), row.document).toString();
