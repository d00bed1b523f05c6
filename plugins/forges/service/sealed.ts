import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';

/** The webhook that owns the values. The org's keys are ready wherever one of these is called. */
export interface SealedOf extends ProjectScope {
  webhook_id: string;
  revision: string;
}

const placeOf = ({ org_id, project_id, webhook_id }: SealedOf, field: string, part = ''): SealedPlace => ({
  org_id,
  project_id,
  table: 'forges_webhooks',
  kind: 'webhook',
  name: `${webhook_id}${part}`,
  field,
});

export const sealSecret = (sealer: Sealer, of: SealedOf, secret: string): Buffer =>
  sealer.seal(placeOf(of, 'secret'), Buffer.from(secret));

export const openSecret = (sealer: Sealer, of: SealedOf & { secret: Buffer }, secret = of.secret): string =>
  sealer.open(placeOf(of, 'secret'), secret).toString();

export const workflowPlace = (of: SealedOf): SealedPlace => placeOf(of, 'workflow', `/${of.revision}`);
