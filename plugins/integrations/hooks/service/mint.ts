import type { HttpAddress } from '../../../../kernel/contracts/index.ts';
import { checkManagedName } from '../../../platform/resources/contract.ts';
import type { HookMinting } from '../contract.ts';
import { hookOwnership } from '../domain/names.ts';
import { checkMintedSpec, type SpecDeps } from '../domain/spec.ts';
import { hooks } from '../store/hooks.ts';
import { ingestUrl } from './render.ts';
import { type WriteDeps, writeHook } from './write-hook.ts';

export interface MintDeps extends WriteDeps, SpecDeps {
  address: HttpAddress;
}

/** Hooks of other plugins, in their transactions; the owner writes its own audit row. */
export function createMinting(deps: MintDeps): HookMinting {
  return {
    async mint(tx, { org_id, project_id, name, owner, spec }) {
      checkManagedName(name);
      checkMintedSpec(name, spec, deps);
      if (owner === '') throw new RangeError('a minted hook has an owner');
      try {
        const { row, secret } = await writeHook(tx, deps, { org_id, project_id, name, owner, spec });
        const ingest_url = ingestUrl(deps.address, row.hook_id);
        return { hook_id: row.hook_id, ingest_url, secret };
      } catch (error) {
        return hookOwnership.toNameConflict(error);
      }
    },
    async drop(tx, { org_id, project_id, name, owner }) {
      return hooks.remove(tx, { org_id, project_id }, name, { owner });
    },
  };
}
