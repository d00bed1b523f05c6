import type { SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { WebhookScope } from '../store/webhook-table.ts';
import type { Workflow } from './workflow.ts';

/** The webhook whose values they are. The org's keys have been prepared wherever one of these is called. */
export interface SealedOf extends WebhookScope {
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

export const openSecret = (sealer: Sealer, of: SealedOf & { secret: Buffer }): string =>
  sealer.open(placeOf(of, 'secret'), of.secret).toString();

const workflowPlace = (of: SealedOf) => placeOf(of, 'workflow', `/${of.revision}`);

export const sealWorkflow = (sealer: Sealer, of: SealedOf, workflow: Workflow): Buffer =>
  sealer.seal(workflowPlace(of), Buffer.from(JSON.stringify(workflow)));

export const openWorkflow = (sealer: Sealer, of: SealedOf, blob: Buffer): Workflow =>
  JSON.parse(sealer.open(workflowPlace(of), blob).toString()) as Workflow;
