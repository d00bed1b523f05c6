import type { WebhookView } from '../../../../../cli/generated/api.ts';
import { ChoiceField, TextField } from '../kit/dialog-form.tsx';
import { textsOf, workflowOf } from '../kit/workflow.ts';
import { WorkflowFields } from '../kit/workflow-fields.tsx';

const REGISTER = ['yes', 'The service creates it, with the credential'] as const;
const OF_NEW = [['', 'I create it by hand'], REGISTER] as const;
const OF_EXISTING = [
  ['', 'Unchanged'],
  REGISTER,
  ['no', 'I create it by hand; remove the one that the service created'],
] as const;

/** All of a webhook but its name. */
export const WebhookFields = ({ of: webhook }: { of?: WebhookView }) => (
  <>
    <div className="row">
      <TextField name="forge" label="Forge" value={webhook?.forge ?? ''} hint="forge_a, forge_b" />
      <TextField name="repo" label="Repository" value={webhook?.repo ?? ''} hint="owner/name" />
      <TextField
        name="api_base"
        label="API address"
        value={webhook?.api_base ?? ''}
        optional
        hint="Only for a forge that you host yourself"
      />
    </div>
    <div className="row">
      <TextField
        name="credential"
        label="Credential"
        value={webhook?.credential ?? ''}
        optional
        hint="It must be allowed to administer webhooks"
      />
      <ChoiceField name="register" label="Webhook at the forge" value="" choices={webhook ? OF_EXISTING : OF_NEW} />
    </div>
    <WorkflowFields workflow={webhook?.workflow} nothing="Nothing: pushes only start handlers" />
  </>
);

/** What the form says, as the API takes it. */
export function webhookOf(fields: Record<string, string>): Record<string, unknown> {
  const workflow = workflowOf(fields);
  const { register = '' } = fields;
  return {
    ...textsOf(fields, ['forge', 'repo', 'api_base', 'credential']),
    ...(register !== '' && { auto_register: register === 'yes' }),
    ...(workflow && { workflow }),
  };
}
