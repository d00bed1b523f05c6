import type { WebhookView } from '../../../../../cli/generated/api.ts';
import { ChoiceField, TextField } from '../kit/dialog-form.tsx';
import { textsOf, workflowOf } from '../kit/workflow.ts';
import { WorkflowFields } from '../kit/workflow-fields.tsx';

const REGISTRATIONS = [
  ['', 'Unchanged'],
  ['yes', 'The service makes it there, by the credential'],
  ['no', 'By hand; remove what the service made there'],
] as const;

/** All of a webhook but its name. */
export const WebhookFields = ({ of: webhook }: { of?: WebhookView }) => (
  <>
    <div className="row">
      <TextField name="forge" label="Forge" value={webhook?.forge ?? ''} hint="forge_a, forge_b" />
      <TextField name="repo" label="Repository" value={webhook?.repo ?? ''} hint="owner/name" />
      <TextField
        name="api_base"
        label="Address of its API"
        value={webhook?.api_base ?? ''}
        optional
        hint="Where the forge has no host of its own"
      />
    </div>
    <div className="row">
      <TextField
        name="credential"
        label="Credential"
        value={webhook?.credential ?? ''}
        optional
        hint="May administer webhooks there"
      />
      <ChoiceField name="register" label="The webhook at the forge" value="" choices={REGISTRATIONS} />
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
