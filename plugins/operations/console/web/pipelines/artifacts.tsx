import { useState } from 'react';
import type { ArtifactView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Panel, Same } from '../kit/page.tsx';
import { runPath } from '../run/use-run.ts';
import { ArtifactShown } from './artifact-shown.tsx';
import { addressOf, sizeText, viewOf } from './artifact-view.ts';

interface Props {
  scope: Scope;
  run_id: string;
  /** False: no more will come. */
  open: boolean;
}

/** Files that the run has stored; nothing is shown while there are none. */
export default function Artifacts({ scope, run_id, open }: Props) {
  const path = `${runPath(scope, run_id)}/artifacts`;
  const list = usePaged<'artifacts', ArtifactView>('artifacts', path, {}, open ? { again_ms: AGAIN_MS } : {});
  const [shown, setShown] = useState<string>();
  const may = useMay(scope);
  if (!list.error && (list.items ?? []).length === 0) return null;
  return (
    <Panel title="Artifacts">
      <List list={list} empty="">
        {(items) => (
          <Table columns={['Path', 'Size', '-Digest', '-Stored', 'Actions']}>
            {items.map((item) => (
              <tr key={item.path}>
                <td>
                  <Name>{item.path}</Name>
                </td>
                <td className="tight">{sizeText(item.size)}</td>
                <td className="wide">
                  <code title={item.digest}>{item.digest.slice(0, 19)}…</code>
                </td>
                <td className="wide tight">
                  <Time at={item.created_at} />
                </td>
                <td>
                  <div className="row">
                    {viewOf(item) && (
                      <button
                        type="button"
                        aria-expanded={shown === item.path}
                        onClick={() => setShown(shown === item.path ? undefined : item.path)}
                      >
                        {shown === item.path ? 'Hide' : 'Look'}
                      </button>
                    )}
                    <a className="button" href={addressOf(path, item.path)} download>
                      Download
                    </a>
                    {may('member') && <Remove path={path} item={item} done={() => void list.refetch()} />}
                  </div>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
      {shown !== undefined && list.items?.some((item) => item.path === shown) && (
        <ArtifactShown key={shown} path={path} item={list.items.find((item) => item.path === shown)!} />
      )}
      <Same by={{ command: `svc artifact get ${run_id}`, call: `GET ${path}` }} />
    </Panel>
  );
}

const Remove = ({ path, item, done }: { path: string; item: ArtifactView; done(): void }) => (
  <Confirm
    label="Remove"
    title="Remove the artifact?"
    verb="Remove artifact"
    danger
    run={async () => {
      await json(addressOf(path, item.path), { method: 'DELETE' });
      done();
    }}
  >
    <Name>{item.path}</Name> is removed for everyone.
  </Confirm>
);
