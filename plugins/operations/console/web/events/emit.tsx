import { useNavigate } from '@tanstack/react-router';
import type { EmittedEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { parseJson } from '../kit/json.ts';
import { LongField } from '../kit/more-fields.tsx';

interface Props {
  scope: Scope;
  label?: string;
  type?: string | undefined;
  payload?: unknown;
}

/** Emits an event, and shows what came of it. */
export function EmitButton({ scope, label = 'Emit event', type = '', payload = null }: Props) {
  const navigate = useNavigate();
  const emit = async (fields: Record<string, string>) => {
    const key = fields.key ?? '';
    const body = { type: fields.type, payload: parseJson(fields.payload ?? ''), ...(key !== '' && { key }) };
    const { event } = await json<EmittedEvent>(scoped(scope, '/events'), { method: 'POST', body });
    void navigate({ to: '/orgs/$org/projects/$project/events/$event', params: { ...scope, event } });
  };
  return (
    <DialogForm label={label} title="Emit event" verb="Emit event" run={emit}>
      <p className="quiet">
        This is a real event: it starts handlers, ends waits and cancels runs. It cannot be undone.
      </p>
      <TextField name="type" label="Type" value={type} hint="deploy.done" />
      <TextField
        name="key"
        label="Key"
        optional
        hint="The subject that the event concerns. Runs with another subject do not receive it. Without a key, all runs receive it."
      />
      <LongField name="payload" label="Payload, as JSON" value={JSON.stringify(payload, null, 2)} rows={6} />
    </DialogForm>
  );
}
