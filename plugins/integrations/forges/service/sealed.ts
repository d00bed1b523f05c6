import type { SealContext, Sealer } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';

/** The webhook that owns the values. The org's keys are ready wherever one of these is called. */
export interface WebhookKey extends ProjectScope {
  webhook_id: string;
  revision: string;
}

const sealContextOf = ({ org_id, project_id, webhook_id }: WebhookKey, field: string, suffix = ''): SealContext => ({
  org_id,
  project_id,
  table: 'forges_webhooks',
  kind: 'webhook',
  name: `${webhook_id}${suffix}`,
  field,
});

export const sealSecret = (sealer: Sealer, webhook: WebhookKey, secret: string): Buffer =>
  sealer.seal(sealContextOf(webhook, 'secret'), Buffer.from(secret));

export const openSecret = (sealer: Sealer, webhook: WebhookKey & { secret: Buffer }, secret = webhook.secret): string =>
  sealer.open(sealContextOf(webhook, 'secret'), secret).toString();

export const workflowContext = (webhook: WebhookKey): SealContext =>
  sealContextOf(webhook, 'workflow', `/${webhook.revision}`);
