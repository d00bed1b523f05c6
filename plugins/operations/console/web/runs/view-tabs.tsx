import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import type { Scope } from '../api/paths.ts';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { visible } from '../kit/text.ts';
import type { RunFilters } from './filters.ts';
import { sameFilters, useViews, VIEWS } from './views.ts';

/** Tabs for frequently used filters, each with its address. */
export function ViewTabs({ scope, filters }: { scope: Scope; filters: RunFilters }) {
  const { views, keep, remove } = useViews(scope);
  const all = [...VIEWS, ...views];
  const own = views.find((view) => sameFilters(view.filters, filters));
  const known = all.some((view) => sameFilters(view.filters, filters));
  return (
    <Tabs label="Views">
      {all.map((view) => (
        <Link
          key={view.name}
          to="/orgs/$org/projects/$project/runs"
          params={scope}
          search={view.filters}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ className: '' }}
          className={sameFilters(view.filters, filters) ? 'active' : ''}
          aria-current={sameFilters(view.filters, filters) ? 'page' : undefined}
        >
          {visible(view.name)}
        </Link>
      ))}
      {own && (
        <button type="button" onClick={() => remove(own.name)}>
          <X size={14} aria-hidden /> Remove view
        </button>
      )}
      {!known && (
        <DialogForm
          label={
            <>
              <Plus size={14} aria-hidden /> Save view
            </>
          }
          title="Save these filters as a view"
          verb="Save view"
          run={async ({ name = '' }) => keep({ name: name.trim(), filters })}
        >
          <TextField name="name" label="Name" hint="It is stored in this browser. You can share its address." />
        </DialogForm>
      )}
    </Tabs>
  );
}
