import { useParams } from '@tanstack/react-router';
import { Pencil, Plus, SlidersHorizontal, Trash2 } from 'lucide-react';
import type { Variable } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Tag, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { FormDialog, DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { useTarget } from '../kit/target.ts';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { ConnectionTabs } from './tabs.tsx';

const NAME = '[A-Za-z_][A-Za-z0-9_]{0,127}';
const ABOUT =
  'Jobs get each variable in their environment, and expressions read it as vars.NAME. A run keeps the values from its start. For passwords and tokens, use secrets.';

/** The values that runs of the project get: its own variables, and those of its org. */
export function Variables() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/variables' });
  const may = useMay(scope);
  const path = scoped(scope, '/vars');
  const list = usePaged<'vars', Variable>('vars', path, {}, { again_ms: AGAIN_MS, whole: true });
  useTarget(list.items !== undefined);
  const make = may('admin') && <NewVariable scope={scope} />;
  return (
    <Page
      title="Variables"
      bleed
      about={list.count}
      actions={make}
      same={{ command: 'svc var ls', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      <List
        list={list}
        nothing={
          <Empty icon={SlidersHorizontal} title="No variables yet" action={make}>
            {ABOUT}
          </Empty>
        }
      >
        {(items) => (
          <>
            <p className="lead">{ABOUT}</p>
            <Rows<Variable>
              label="Variables"
              head="Name"
              items={items}
              keyOf={({ name }) => name}
              mark={() => <Mark icon={SlidersHorizontal} />}
              title={({ name }) => (
                <span className="mono clip" title={name}>
                  {name}
                </span>
              )}
              beside={({ origin }) => origin === 'org' && <Tag>org</Tag>}
              columns={[
                { name: 'Value', look: 'second', cell: ({ value }) => <Value value={value} /> },
                { name: 'By', look: 'c-wide second', cell: ({ updated_by }) => updated_by ?? 'operator' },
                { name: 'Updated', look: 'c-end', cell: ({ updated_at }) => <Time at={updated_at} /> },
              ]}
              second={({ value, origin }) => (
                <span className="clip">
                  {origin === 'org' && 'org · '}
                  <Value value={value} />
                </span>
              )}
              actions={(variable) => may('admin') && <Actions scope={scope} variable={variable} />}
            />
          </>
        )}
      </List>
    </Page>
  );
}

const Value = ({ value }: { value: string }) => (
  <span className="mono clip" title={value}>
    {value === '' ? '(empty)' : visible(value)}
  </span>
);

function useSave(scope: Scope) {
  const refetch = useRefetch();
  const list = scoped(scope, '/vars');
  return async ({ name = '', value = '' }: Record<string, string>) => {
    await json(`${list}/${encodeURIComponent(name)}`, { method: 'PUT', body: { value } });
    await refetch(listKey(list));
  };
}

function NewVariable({ scope }: { scope: Scope }) {
  const save = useSave(scope);
  return (
    <DialogForm icon={Plus} label="New variable" title="New variable" verb="Set variable" main run={save}>
      <TextField name="name" label="Name" pattern={NAME} wants="Letters, digits and _, as in a variable name" />
      <ValueField />
    </DialogForm>
  );
}

const ValueField = ({ value = '' }: { value?: string }) => (
  <label>
    Value
    <textarea name="value" defaultValue={value} rows={3} spellCheck={false} />
    <span className="hint">Anyone who can see the project can read it</span>
  </label>
);

/** A variable of the org is changed by its owners, with the CLI. The project can hide it with one of its own. */
function Actions({ scope, variable: { name, value, origin } }: { scope: Scope; variable: Variable }) {
  const save = useSave(scope);
  const refetch = useRefetch();
  const list = scoped(scope, '/vars');
  const is_project = origin === 'project';
  const remove = async () => {
    await json(`${list}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    await refetch(listKey(list));
    toast(`Variable ${name} removed`);
  };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          ...{ icon: Pencil, label: is_project ? 'Edit value' : 'Override in this project' },
          opens: (close) => (
            <FormDialog
              title={is_project ? `Edit ${name}` : `Override ${name} in this project`}
              verb="Set variable"
              run={(fields) => save({ ...fields, name })}
              close={close}
            >
              <ValueField value={value} />
            </FormDialog>
          ),
        },
        is_project && {
          ...{ icon: Trash2, label: 'Remove variable', danger: true },
          opens: (close) => (
            <Asked title={`Remove the variable ${name}?`} verb="Remove variable" danger run={remove} close={close}>
              Runs that start from now on do not get it, unless the org has a variable with this name.
            </Asked>
          ),
        },
      ]}
    />
  );
}
