import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { PluginList } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { Loading, Name, Problem, Status } from '../kit/basics.tsx';
import { Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { addedBy, healthOf, isConnector, type PluginView } from './points.ts';

const PATH = '/api/v1/plugins';
/** Checks are made anew each time. */
const AGAIN_MS = 15_000;

/** What the server is made of. */
export function Plugins() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/plugins' });
  const list = useQuery({
    queryKey: ['plugins'],
    queryFn: ({ signal }) => json<PluginList>(PATH, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const plugins = list.data?.plugins ?? [];
  const shown = plugins.filter((plugin) => !isConnector(plugin));
  const connectors = plugins.length - shown.length;
  return (
    <Page title="Plugins" same={{ command: 'svc plugin ls', call: `GET ${PATH}` }}>
      <p className="quiet">
        What this server has loaded, those of <code>SVC_PLUGINS</code> first
        {connectors > 0 && (
          <>
            , and{' '}
            <Link to="/orgs/$org/projects/$project/connectors" params={scope}>
              {connectors} connectors
            </Link>
          </>
        )}
        .
      </p>
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {!list.data && !list.error && <Loading />}
      {list.data && (
        <Table columns={['Plugin', 'Health', 'Adds', '-Needs']}>
          {shown.toSorted(guestsFirst).map((plugin) => (
            <Row key={plugin.id} plugin={plugin} />
          ))}
        </Table>
      )}
    </Page>
  );
}

const guestsFirst = (a: PluginView, b: PluginView) => Number(a.builtin) - Number(b.builtin) || a.id.localeCompare(b.id);

function Row({ plugin }: { plugin: PluginView }) {
  const { id, version, builtin, summary, requires, health } = plugin;
  const state = healthOf(plugin);
  const failing = health.filter(({ ok }) => !ok);
  return (
    <tr>
      <td>
        <strong>
          <Name>{id}</Name>
        </strong>{' '}
        <span className="quiet">{visible(version)}</span>
        {!builtin && <div className="quiet">from SVC_PLUGINS</div>}
        <div className="quiet">{visible(summary)}</div>
      </td>
      <td className="word">
        {state ? <Status of={state} /> : <span className="quiet">no checks</span>}
        {failing.map(({ name }) => (
          <div key={name} className="quiet">
            {visible(name)}; the server’s log says why
          </div>
        ))}
      </td>
      <td className="added">
        <Added plugin={plugin} />
      </td>
      <td className="wide">{requires.length === 0 ? <span className="quiet">nothing</span> : requires.join(', ')}</td>
    </tr>
  );
}

function Added({ plugin }: { plugin: PluginView }) {
  const added = addedBy(plugin);
  if (added.length === 0) return <span className="quiet">services for other plugins</span>;
  return added.map(({ text, names }) => (
    <details key={text}>
      <summary>{text}</summary>
      <ul className="plain">
        {names.map((name) => (
          <li key={name}>
            <code>{visible(name)}</code>
          </li>
        ))}
      </ul>
    </details>
  ));
}
