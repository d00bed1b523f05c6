import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Hook } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Asked } from '../kit/confirm.tsx';
import { FormDrawer } from '../kit/drawer.tsx';
import type { Secret } from '../kit/once.tsx';
import { listKey } from '../kit/paged.ts';
import { toast } from '../kit/toasts.tsx';
import { HookFields, hookOf, secretOf } from './form.tsx';

export const hookPath = (scope: Scope, name: string): string =>
  scoped(scope, `/event-hooks/${encodeURIComponent(name)}`);

interface ChangeProps {
  scope: Scope;
  hook: Hook;
  /** A change may make a secret, which is shown once. */
  onSecret(secret: Secret | undefined): void;
  close(): void;
}

export function ChangeHook({ scope, hook, onSecret, close }: ChangeProps) {
  const client = useQueryClient();
  // The answer may hold the secret, which does not belong into what the page keeps.
  const save = async (fields: Record<string, string>) => {
    const path = hookPath(scope, hook.name);
    onSecret(secretOf(await json<Hook>(path, { method: 'PUT', body: hookOf(fields) })));
    await client.invalidateQueries({ queryKey: ['hook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/event-hooks')) });
    toast(`Hook ${hook.name} saved`);
  };
  return (
    <FormDrawer title={`Edit ${hook.name}`} verb="Save changes" close={close} run={save}>
      <p className="quiet">Its address stays the same, and so does a secret that the service created.</p>
      <HookFields hook={hook} />
    </FormDrawer>
  );
}

interface RemoveProps {
  scope: Scope;
  name: string;
  close(): void;
}

export function RemoveHook({ scope, name, close }: RemoveProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const path = hookPath(scope, name);
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['hook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/event-hooks')) });
    toast(`Hook ${name} removed`);
    void navigate({ to: '/orgs/$org/projects/$project/hooks', params: scope, search: {} });
  };
  return (
    <Asked title={`Remove the hook ${name}?`} verb="Remove hook" danger run={remove} close={close}>
      Its address takes no more deliveries, and no later hook gets the same one. Recorded events stay.
    </Asked>
  );
}
