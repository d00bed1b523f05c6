import { Errors } from '../../../../kernel/contracts/index.ts';
import { checkName } from '../../../platform/resources/contract.ts';
import type { CredentialNames, CredentialSourceKind } from '../contract.ts';
import { CREDENTIAL } from '../domain/names.ts';

const SOURCE_LABELS: Readonly<Record<CredentialSourceKind, string>> = {
  credential: 'a credential',
  account: 'a connected account',
};

/** Correct with any number of concurrent transactions: the primary key decides which is first, and the others read the winner. */
export const sqlNames: CredentialNames = {
  async reserve(tx, { org_id, project_id }, name, holder) {
    checkName(CREDENTIAL, name);
    const made = await tx.write(
      `${tx.sql.insert_ignore} credentials_names (project_id, name, org_id, holder) VALUES (?, ?, ?, ?)`,
      [project_id, name, org_id, holder],
    );
    if (made === 1) return true;
    const [row] = await tx.lock<{ holder: CredentialSourceKind }>({
      table: 'credentials_names',
      key: ['project_id', 'name'],
      columns: 'holder',
      where: 'project_id = ? AND name = ?',
      params: [project_id, name],
    });
    if (!row) throw Errors.unavailable(`the name ${name} was just released`, { retryAfterMs: 100 });
    if (row.holder !== holder)
      throw Errors.nameConflict(`${SOURCE_LABELS[row.holder]} of this project already has the name ${name}`);
    return false;
  },
  async release(tx, { org_id, project_id }, name, holder) {
    const freed = await tx.write(
      'DELETE FROM credentials_names WHERE project_id = ? AND org_id = ? AND name = ? AND holder = ?',
      [project_id, org_id, name, holder],
    );
    return freed === 1;
  },
  async findSources(on, { org_id, project_id }, names) {
    if (names.length === 0) return new Map();
    const rows = await on.read<{ name: string; holder: CredentialSourceKind }>(
      `SELECT name, holder FROM credentials_names
       WHERE project_id = ? AND org_id = ? AND name IN (${names.map(() => '?').join(', ')})`,
      [project_id, org_id, ...names],
    );
    return new Map(rows.map((row) => [row.name, row.holder]));
  },
};
