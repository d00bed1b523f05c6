import { type ErrorFactory, Errors, isServiceError } from '../../../../kernel/contracts/index.ts';

/** A resource that may be managed by another one, its owner. Without an owner (null or ''), a user created it. */
export interface ManagedResource {
  name: string;
  owner: string | null;
}

/** Rejects changes to resources of a kind by anyone but their owner; `conflict` makes the error, such as `hook_owned`. */
export const ownershipOf = (noun: string, conflict: ErrorFactory) => ({
  /** Throws the conflict if the resource exists and has another owner. */
  assertSame(existing: ManagedResource | undefined, owner: string | null): void {
    if (!existing || (existing.owner || null) === (owner || null)) return;
    const origin = existing.owner ? `belongs to ${existing.owner}` : 'was created by a user';
    throw conflict(`the ${noun} ${existing.name} ${origin}`);
  },
  /** Rethrows an error. The conflict becomes `name_conflict`, because an owner can only choose another name. */
  toNameConflict(error: unknown): never {
    throw isServiceError(error, conflict.code) ? Errors.nameConflict(error.message) : error;
  },
});
