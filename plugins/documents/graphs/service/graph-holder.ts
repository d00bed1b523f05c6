import type { Database, Sealer } from '../../../../kernel/contracts/index.ts';
import type { WorkflowHolder } from '../../../events/workflows/contract.ts';
import { listCurrent, readVersions } from '../store/versions.ts';
import { openDocument } from './documents.ts';

/** Lists the latest and the published versions of graphs. A graph's own name means its latest version. */
export const graphHolder = (database: Pick<Database, 'read'>, sealer: Sealer): WorkflowHolder => ({
  kind: 'graph',
  async list(scope, limit) {
    const rows = await listCurrent(database, scope, limit);
    return rows.map(({ name, version_number, revision, latest }) => ({
      name: `${name}@${version_number}`,
      revision,
      ...(Number(latest) === version_number && { aliases: [name] }),
    }));
  },
  async open(scope, names) {
    const keys = names.map((key) => {
      const [name = '', version] = key.split('@');
      return { name, version_number: Number(version) };
    });
    const rows = await readVersions(database, scope, keys);
    await sealer.prepare(scope.org_id);
    return new Map(
      rows.map((row) => [`${row.name}@${row.version_number}`, { kind: 'graph', source: openDocument(sealer, row) }]),
    );
  },
});
