import { type AccessControl, ADMIN, Errors, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { NamedRequest } from '../../../platform/resources/contract.ts';

/** Throws `forbidden` when the caller may not create, change or remove event hooks. */
export type HookAccessCheck = (nodes: readonly string[]) => void;

/**
 * Only admins may change event hooks, directly or through a graph with webhook triggers, because a hook accepts
 * deliveries from anybody with its secret. Call this before the transaction that needs the result.
 */
export async function checkHookAccess(
  access: Pick<AccessControl, 'authorize'>,
  call: NamedRequest,
): Promise<HookAccessCheck> {
  const { principal } = call.by;
  // The operator may do everything.
  if (!principal) return () => {};
  const { org, project } = call.scope;
  const denial = await access.authorize(principal, ADMIN, { org, project }).then(
    () => undefined,
    (error: unknown) => {
      if (isServiceError(error, 'forbidden')) return error;
      throw error;
    },
  );
  return (nodes) => {
    if (denial && nodes.length > 0)
      throw Errors.forbidden(`${denial.message}; an event hook belongs to ${nodes.slice(0, 10).join(', ')}`);
  };
}
