import { Link } from '@tanstack/react-router';
import type { GraphVersion, GraphView, PublishedGraph } from '../../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Tag, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Same } from '../kit/page.tsx';
import { Publish } from './publish.tsx';
import { By } from './who.tsx';

const HERE = '/orgs/$org/projects/$project/graphs/$graph';

interface Props {
  scope: Scope;
  graph: GraphView;
  onPublished(published: PublishedGraph): void;
}

/** Every save that changed something, the newest first. */
export function Versions({ scope, graph, onPublished }: Props) {
  const { name } = graph;
  const path = scoped(scope, `/graphs/${encodeURIComponent(name)}/versions`);
  const list = usePaged<'versions', GraphVersion>('versions', path, {}, { again_ms: AGAIN_MS });
  return (
    <>
      <List list={list} empty="No versions yet.">
        {(versions) => (
          <Table columns={['Version', 'Saved', 'Actions']}>
            {versions.map((version) => (
              <Row
                key={version.version_number}
                scope={scope}
                graph={graph}
                version={version}
                onPublished={onPublished}
              />
            ))}
          </Table>
        )}
      </List>
      <Same by={{ command: `svc graph versions ${name}`, call: `GET ${path}` }} />
    </>
  );
}

function Row({ scope, graph, version, onPublished }: Props & { version: GraphVersion }) {
  const { name, latest_version, triggers = [] } = graph;
  const { version_number: number, published, set_at, set_by } = version;
  const may = useMay(scope);
  const params = { ...scope, graph: name };
  // What an older version has as triggers is known when it is opened; the server refuses what one may not do.
  const role = triggers.some(({ type }) => type === 'trigger.webhook') ? 'admin' : 'member';
  return (
    <tr>
      <td>
        <Link to={HERE} params={params} search={number === latest_version ? {} : { version: number }}>
          Version {number}
        </Link>{' '}
        {number === latest_version && <Tag>latest</Tag>}
        {published && <Tag>published</Tag>}
      </td>
      <td>
        <Time at={set_at} />
        <div>
          <By id={set_by} />
        </div>
      </td>
      <td>
        <div className="row">
          {number > 1 && (
            <Link
              to={HERE}
              params={params}
              search={{ tab: 'compare', from: number - 1, to: number }}
              className="button"
              aria-label={`What changed in version ${number}`}
            >
              What changed
            </Link>
          )}
          {!published && may(role) && (
            <Publish
              scope={scope}
              name={name}
              version={number}
              label={`Publish version ${number}`}
              onPublished={onPublished}
            />
          )}
        </div>
      </td>
    </tr>
  );
}
