import { Errors, type HttpAddress, isServiceError } from '../../../kernel/contracts/index.ts';
import { checkOwnedName } from '../../resources/contract.ts';
import type { HookMinting } from '../contract.ts';
import { checkMintedSpec, type SpecParts } from '../domain/spec.ts';
import { hooks } from '../store/hooks.ts';
import { ingestUrl } from './render.ts';
import { type WriteParts, writeHook } from './write-hook.ts';

export interface MintParts extends WriteParts, SpecParts {
  address: HttpAddress;
}

/** Hooks of other plugins, in their transactions; the owner writes its own audit row. */
export function createMinting(parts: MintParts): HookMinting {
  return {
    async mint(tx, { org_id, project_id, name, owner, spec }) {
      checkOwnedName(name);
      checkMintedSpec(name, spec, parts);
      if (owner === '') throw new RangeError('a minted hook has an owner');
      try {
        const { row, secret } = await writeHook(tx, parts, { org_id, project_id, name, owner, spec });
        const ingest_url = ingestUrl(parts.address, row.hook_id);
        return { hook_id: row.hook_id, ingest_url, secret };
      } catch (error) {
        if (isServiceError(error, 'hook_owned')) throw Errors.nameConflict(error.message);
        throw error;
      }
    },
    async drop(tx, { org_id, project_id, name, owner }) {
      return hooks.remove(tx, { org_id, project_id }, name, { owner });
    },
  };
}
