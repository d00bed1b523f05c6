import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import type { PluginList } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { Mark } from '../kit/avatar.tsx';
import { Loading, Problem, Status, Tag } from '../kit/basics.tsx';
import { Drawer } from '../kit/drawer.tsx';
import { Fact } from '../kit/facts.tsx';
import { Page } from '../kit/page.tsx';
import { type Column, Rows } from '../kit/rows.tsx';
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
  const [opened, setOpened] = useState<string>();
  const plugin = shown.find(({ id }) => id === opened);
  return (
    <Page
      title="Plugins"
      bleed
      about={list.data && shown.length}
      same={{ command: 'svc plugin ls', call: `GET ${PATH}` }}
    >
      <p className="lead">
        Everything this server has loaded, with plugins from <code>SVC_PLUGINS</code> first
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
        <Rows<PluginView>
          label="Plugins"
          head="Plugin"
          items={shown.toSorted(guestsFirst)}
          keyOf={({ id }) => id}
          mark={() => <Mark icon={Puzzle} />}
          title={({ id }) => (
            <button type="button" className="row-open" title={visible(id)} onClick={() => setOpened(id)}>
              {visible(id)}
            </button>
          )}
          beside={({ version, builtin }) => (
            <>
              <span className="quiet small-text">{visible(version)}</span>
              {!builtin && <Tag>SVC_PLUGINS</Tag>}
            </>
          )}
          columns={COLUMNS}
          second={({ summary }) => <span className="clip">{visible(summary)}</span>}
          aside={(plugin) => <Health plugin={plugin} />}
        />
      )}
      {plugin && <Details plugin={plugin} close={() => setOpened(undefined)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<PluginView>[] = [
  { name: 'Health', look: 'c-short', cell: (plugin) => <Health plugin={plugin} /> },
  {
    ...{ name: 'What it does', look: 'second' },
    cell: ({ summary }) => <span title={visible(summary)}>{visible(summary)}</span>,
  },
  { name: 'Adds', look: 'c-mid c-wide second', cell: addsOf },
];

/** The first of what it adds; the rest stands in its details. */
function addsOf(plugin: PluginView) {
  const [first, ...others] = addedBy(plugin).map(({ text }) => text);
  if (first === undefined) return <span className="quiet">—</span>;
  return (
    <span title={[first, ...others].join(', ')}>
      {first}
      {others.length > 0 && ` +${others.length}`}
    </span>
  );
}

function Health({ plugin }: { plugin: PluginView }) {
  const state = healthOf(plugin);
  return state ? <Status of={state} /> : <span className="quiet">No checks</span>;
}

const guestsFirst = (a: PluginView, b: PluginView) => Number(a.builtin) - Number(b.builtin) || a.id.localeCompare(b.id);

/** Everything that is known of one. */
function Details({ plugin, close }: { plugin: PluginView; close(): void }) {
  const { id, version, builtin, summary, requires, health } = plugin;
  const added = addedBy(plugin);
  return (
    <Drawer title={visible(id)} close={close}>
      <div className="plugin-details">
        <p className="second">{visible(summary)}</p>
        <dl>
          <Fact name="Version">{visible(version)}</Fact>
          <Fact name="From">{builtin ? 'svc itself' : <code>SVC_PLUGINS</code>}</Fact>
          <Fact name="Health">
            <Health plugin={plugin} />
            {health
              .filter(({ ok }) => !ok)
              .map(({ name }) => (
                <div key={name} className="quiet">
                  {visible(name)}: see the server log for the reason
                </div>
              ))}
          </Fact>
          <Fact name="Needs">
            {requires.length === 0 ? <span className="quiet">Nothing</span> : requires.map(visible).join(', ')}
          </Fact>
        </dl>
        <h3>Adds</h3>
        {added.length === 0 && <p className="quiet">Services for other plugins</p>}
        {added.map(({ text, names }) => (
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
        ))}
      </div>
    </Drawer>
  );
}
