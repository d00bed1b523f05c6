import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { Drawer, FormDrawer } from '../kit/drawer.tsx';
import { listKey } from '../kit/paged.ts';
import { toast } from '../kit/toasts.tsx';
import { HandlerFields, handlerOf } from './form.tsx';

interface Props {
  scope: Scope;
  name: string;
  close(): void;
}

export const handlerPath = (scope: Scope, name: string): string =>
  scoped(scope, `/handlers/${encodeURIComponent(name)}`);

/** One handler with its document, which lists leave out. */
export function useHandler(scope: Scope, name: string) {
  const path = handlerPath(scope, name);
  return useQuery({ queryKey: ['handler', path], queryFn: ({ signal }) => json<HandlerView>(path, { signal }) });
}

export function ChangeHandler({ scope, name, close }: Props) {
  const client = useQueryClient();
  const { data: handler, error } = useHandler(scope, name);
  const title = `Edit ${name}`;
  if (!handler)
    return (
      <Drawer title={title} close={close}>
        {error ? <Problem error={error} /> : <Loading />}
      </Drawer>
    );
  const save = async (fields: Record<string, string>) => {
    const path = handlerPath(scope, name);
    const now = await json<HandlerView>(path, { method: 'PUT', body: handlerOf(fields) });
    client.setQueryData<HandlerView>(['handler', path], (before) => ({ ...now, lately: before?.lately }));
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/handlers')) });
    toast(`Handler ${name} saved`);
  };
  return (
    <FormDrawer title={title} verb="Save changes" close={close} run={save}>
      <p className="quiet">The change applies to new events. Runs that have started continue as they are.</p>
      <HandlerFields handler={handler} />
    </FormDrawer>
  );
}

export function RemoveHandler({ scope, name, close }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    const path = handlerPath(scope, name);
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['handler', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/handlers')) });
    toast(`Handler ${name} removed`);
    void navigate({ to: '/orgs/$org/projects/$project/handlers', params: scope, search: {} });
  };
  return (
    <Asked title={`Remove the handler ${name}?`} verb="Remove handler" danger run={remove} close={close}>
      Events no longer start it, and those that wait for a slot are rejected. Runs that have started continue.
    </Asked>
  );
}
