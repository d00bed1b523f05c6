import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { PackageOpen, Trash2 } from 'lucide-react';
import type { CacheView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Name, Tag, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { addressOf, sizeText } from '../pipelines/artifact-view.ts';

/** What runs have cached: how large it is, when a run last used it, and which run saved it. */
export function Caches() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/caches' });
  const may = useMay(scope);
  const path = scoped(scope, '/caches');
  const list = usePaged<'caches', CacheView>('caches', path, {}, { again_ms: AGAIN_MS, whole: true });
  return (
    <Page title="Caches" bleed about={list.count} same={{ command: 'svc cache ls', call: `GET ${path}` }}>
      <List
        list={list}
        nothing={
          <Empty icon={PackageOpen} title="No caches yet">
            A job with <code>cache:</code>, or a step that runs <code>svc cache save</code>, saves files for later runs.
          </Empty>
        }
      >
        {(caches) => (
          <>
            <p className="lead">
              {sizeText(caches.reduce((sum, { size }) => sum + size, 0))} in total. When the project's limit is reached,
              the least recently used caches are removed.
            </p>
            <Rows<CacheView>
              label="Caches"
              head="Key"
              items={caches}
              keyOf={({ key, trusted }) => `${key} ${trusted}`}
              mark={() => <Mark icon={PackageOpen} />}
              title={({ key }) => (
                <span className="strong clip" title={visible(key)}>
                  {visible(key)}
                </span>
              )}
              beside={({ trusted }) => !trusted && <Tag>Untrusted runs</Tag>}
              columns={[
                { name: 'Size', look: 'c-short', cell: ({ size }) => <span className="num">{sizeText(size)}</span> },
                { name: 'Saved by', look: 'c-short', cell: ({ run_id }) => <SavedBy scope={scope} run={run_id} /> },
                { name: 'Saved', look: 'c-state c-wide second', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Last used', look: 'c-end', cell: ({ used_at }) => <Time at={used_at} /> },
              ]}
              second={({ size, run_id }) => (
                <>
                  <span className="num">{sizeText(size)}</span> <SavedBy scope={scope} run={run_id} />
                </>
              )}
              aside={({ used_at }) => <Time at={used_at} />}
              {...(may('member') && { actions: (cache: CacheView) => <CacheMenu path={path} cache={cache} /> })}
            />
          </>
        )}
      </List>
    </Page>
  );
}

const SavedBy = ({ scope, run }: { scope: Scope; run: string }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run }} className="mono" title={run}>
    {run.slice(-6)}
  </Link>
);

function CacheMenu({ path, cache: { key } }: { path: string; cache: CacheView }) {
  const client = useQueryClient();
  const remove = async () => {
    await json(addressOf(path, key), { method: 'DELETE' });
    await readAgain(client, listKey(path, {}));
    toast(`Cache ${visible(key)} deleted`);
  };
  return (
    <ActionMenu
      label={`Actions for ${key}`}
      small
      actions={[
        {
          icon: Trash2,
          label: 'Delete cache',
          danger: true,
          opens: (close) => (
            <Asked title="Delete the cache?" verb="Delete cache" danger run={remove} close={close}>
              <Name>{key}</Name> is deleted for trusted and untrusted runs. The next run that needs it starts without
              it.
            </Asked>
          ),
        },
      ]}
    />
  );
}
