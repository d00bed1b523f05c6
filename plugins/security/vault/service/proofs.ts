import type { KeyProof, MasterKeys } from '../contract.ts';
import { VaultErrors } from '../errors.ts';
import { readKeyChecks } from '../store/key-checks.ts';
import { findKeyOf, isActive, type MasterDeps } from './master.ts';

const asCheck = ({ master_id, check_value }: KeyProof) => ({ master_id, check_value, generation: 0 });

export const masterKeys = (deps: Pick<MasterDeps, 'settings' | 'ids'>): MasterKeys => ({
  async proofs(on) {
    const { active, incoming } = await readKeyChecks(on);
    return [active, incoming].flatMap((check) =>
      check === undefined ? [] : [{ master_id: check.master_id, check_value: check.check_value }],
    );
  },
  async assertOpens(proofs) {
    const [first] = proofs;
    if (first === undefined) return;
    const { key } = await findKeyOf(deps, { active: asCheck(first) });
    if (proofs.some((proof) => isActive({ active: asCheck(proof) }, key))) return;
    const source_name = deps.settings.env.SVC_MASTER_KEY ? 'SVC_MASTER_KEY' : 'the master key file';
    throw VaultErrors.masterKeyWrong(
      `${source_name} is not the key that the backup is sealed with (${first.master_id})`,
    );
  },
});
