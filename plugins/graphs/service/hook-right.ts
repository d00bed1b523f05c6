import { type AccessControl, ADMIN, Errors, isServiceError } from '../../../kernel/contracts/index.ts';
import type { NamedCall } from '../../resources/contract.ts';

/** Throws `forbidden` when the caller may not make, change or remove event hooks. */
export type HookRight = (nodes: readonly string[]) => void;

/**
 * Event hooks take deliveries from anybody who has their secret: only admins handle them, whether by themselves or by a
 * graph with webhook triggers. Asked before the transaction that needs the answer.
 */
export async function hookRightOf(access: Pick<AccessControl, 'authorize'>, call: NamedCall): Promise<HookRight> {
  const { principal } = call.by;
  // The operator may do everything.
  if (!principal) return () => {};
  const { org, project } = call.scope;
  const refusal = await access.authorize(principal, ADMIN, { org, project }).then(
    () => undefined,
    (error: unknown) => {
      if (isServiceError(error, 'forbidden')) return error;
      throw error;
    },
  );
  return (nodes) => {
    if (refusal && nodes.length > 0)
      throw Errors.forbidden(`${refusal.message}; an event hook belongs to ${nodes.slice(0, 10).join(', ')}`);
  };
}
