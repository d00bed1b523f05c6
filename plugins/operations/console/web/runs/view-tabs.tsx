import { Link, useNavigate } from '@tanstack/react-router';
import { Lock, Plus, X } from 'lucide-react';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Confirm } from '../kit/confirm.tsx';
import { ChoiceField, DialogForm, TextField } from '../kit/dialog-form.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import type { RunFilters } from './filters.ts';
import { sameFilters, type useViews, VIEWS } from './views.ts';

const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]{0,62}';

interface Props {
  scope: Scope;
  /** The filters in the address. */
  filters: RunFilters;
  /** Those that apply, with the ones of the view. */
  effective: RunFilters | undefined;
  stored: ReturnType<typeof useViews>;
}

/** Tabs for frequently used filters, each with its address. */
export function ViewTabs({ scope, filters, effective, stored: { views = [], save, remove } }: Props) {
  const may = useMay(scope);
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/runs' });
  const tabs = [
    ...VIEWS.map(({ name, filters: search }) => ({ key: `/${name}`, name, search, is_private: false })),
    ...views.map(({ name, is_private }) => ({ key: name, name, search: { view: name }, is_private })),
  ];
  const open = views.find(({ name }) => name === filters.view);
  const known = tabs.some(({ search }) => sameFilters(search, filters));
  return (
    <Tabs label="Views">
      {tabs.map(({ key, name, search, is_private }) => (
        <Link
          key={key}
          to="/orgs/$org/projects/$project/runs"
          params={scope}
          search={search}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: '' }}
          className={sameFilters(search, filters) ? 'active' : ''}
          aria-current={sameFilters(search, filters) ? 'page' : undefined}
        >
          {is_private && <Lock size={14} aria-label="Private" />} {visible(name)}
        </Link>
      ))}
      {open && effective && may('member') && (
        <Confirm
          label={
            <>
              <X size={14} aria-hidden /> Remove view
            </>
          }
          title={`Remove the view ${open.name}?`}
          verb="Remove view"
          danger
          run={async () => {
            await remove(open);
            await navigate({ search: effective, replace: true });
            toast(`View ${open.name} removed`);
          }}
        >
          {open.is_private ? 'Only you can see it.' : 'Everyone in the project can use it until you remove it.'} Its
          filters stay on this page.
        </Confirm>
      )}
      {!known && effective && may('member') && (
        <DialogForm
          label={
            <>
              <Plus size={14} aria-hidden /> Save view
            </>
          }
          title="Save these filters as a view"
          verb="Save view"
          run={async ({ name = '', visibility }) => {
            await save({ name, is_private: visibility === 'private', filters: effective });
            await navigate({ search: { view: name }, replace: true });
          }}
        >
          <TextField
            name="name"
            label="Name"
            pattern={NAME}
            wants="At most 63 letters, digits, _ and -"
            hint="Replaces a view that has this name. Its address can be shared."
          />
          <ChoiceField
            name="visibility"
            label="Seen by"
            choices={[
              ['project', 'Everyone in the project'],
              ['private', 'Only you'],
            ]}
          />
        </DialogForm>
      )}
    </Tabs>
  );
}
