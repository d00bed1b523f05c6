import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import type { ConnectorManifest } from '../../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { CredentialForm } from '../connections/credential-form.tsx';
import { Empty, Loading } from '../kit/basics.tsx';
import { FilterBar } from '../kit/filter-bar.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { byBrand, fitsWords, wordsAbout } from './manifest.ts';
import { CATEGORIES, type Category, brandOf } from './names.ts';
import { Segments, Tile } from './tile.tsx';

const FROM = '/orgs/$org/projects/$project/connectors';

/** The systems that workflows can speak to, as the server was started with them. */
export function Connectors() {
  const scope = useParams({ from: FROM });
  const { words = '', category } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const path = scoped(scope, '/connectors');
  const list = usePaged<'connectors', ConnectorManifest>('connectors', path, {}, { whole: true });
  const go = (next: { words?: string; category?: string }) => void navigate({ search: next, replace: true });
  const withCategory = category === undefined ? {} : { category };
  const fits = (one: ConnectorManifest) =>
    fitsWords(one, words) && (category === undefined || brandOf(one).category === category);
  return (
    <Page title="Connectors" bleed about={list.count} same={{ command: 'svc connector ls', call: `GET ${path}` }}>
      <FilterBar
        label="Find a connector"
        hint="Name or purpose, for example “chat”"
        find={words}
        onChange={({ find }) => go({ ...(find !== undefined && { words: find }), ...withCategory })}
      >
        <Segments
          label="Category"
          options={['All', ...CATEGORIES]}
          chosen={category ?? 'All'}
          onChoose={(next) => go({ ...(words !== '' && { words }), ...(next !== 'All' && { category: next }) })}
        />
      </FilterBar>
      <List list={list} nothing={<Empty icon={Blocks} title="This server has no connectors" />}>
        {(items) => <Found scope={scope} found={items.filter(fits)} reading={list.reading} />}
      </List>
    </Page>
  );
}

interface FoundProps {
  scope: Scope;
  found: readonly ConnectorManifest[];
  /** Further ones are still being read. */
  reading: boolean;
}

function Found({ scope, found, reading }: FoundProps) {
  if (found.length === 0 && reading) return <Loading />;
  if (found.length === 0)
    return (
      <Empty
        title="No connector matches these filters"
        action={
          <Link className="button" to={FROM} params={scope} search={{}}>
            Show all connectors
          </Link>
        }
      />
    );
  const groups = CATEGORIES.map((name): [Category, ConnectorManifest[]] => [
    name,
    found.filter((one) => brandOf(one).category === name).toSorted(byBrand),
  ]);
  return groups.map(([name, members]) =>
    members.length === 0 ? null : (
      <section key={name} aria-label={name}>
        <h2 className="group-head">{name}</h2>
        <ul className="conn-tiles">
          {members.map((manifest) => (
            <ConnectorTile key={manifest.name} scope={scope} manifest={manifest} />
          ))}
        </ul>
      </section>
    ),
  );
}

function ConnectorTile({ scope, manifest }: { scope: Scope; manifest: ConnectorManifest }) {
  const { name } = manifest;
  const brand = brandOf(manifest);
  return (
    <Tile
      icon={brand.icon}
      title={
        <Link to={`${FROM}/$connector`} params={{ ...scope, connector: name }}>
          {visible(brand.title)}
        </Link>
      }
      about={<span title={manifest.description}>{visible(wordsAbout(manifest))}</span>}
    >
      <UseInGraph scope={scope} manifest={manifest} />
      <ConnectBy scope={scope} manifest={manifest} />
    </Tile>
  );
}

interface ActProps {
  scope: Scope;
  manifest: ConnectorManifest;
}

/** A new graph that begins with its first action. */
export function UseInGraph({ scope, manifest }: ActProps) {
  const may = useMay(scope);
  const [action] = Object.keys(manifest.actions ?? {});
  if (action === undefined || !may('member')) return null;
  return (
    <Link
      className="button"
      to="/orgs/$org/projects/$project/graphs/new"
      params={scope}
      search={{ node: `${manifest.name}.${action}` }}
    >
      Use in a graph<span className="hidden"> with {brandOf(manifest).title}</span>
    </Link>
  );
}

const VERBS = { bearer: 'Add token', api_key: 'Add key', basic: 'Add login', url_token: 'Add token' } as const;

/** Asks for the credential that it wants. */
export function ConnectBy({ scope, manifest: { name, title, credential } }: ActProps) {
  const may = useMay(scope);
  if (!credential || !may('admin')) return null;
  const brand = brandOf({ name, title });
  return (
    <CredentialForm
      scope={scope}
      kinds={[credential.kind]}
      label={
        <>
          {VERBS[credential.kind]}
          <span className="hidden"> for {brand.title}</span>
        </>
      }
      suggested={name.replaceAll('_', '-')}
    />
  );
}
