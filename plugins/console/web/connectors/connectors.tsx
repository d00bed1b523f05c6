import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ConnectorManifest } from '../../../../cli/generated/api.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Empty, Tag } from '../kit/basics.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { fitsWords } from './manifest.ts';

/** More than a server has; the words are looked for in all of them. */
const ALL = { limit: 200 };

/** The systems that workflows can speak to, as the server was started with them. */
export function Connectors() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connectors' });
  const { words = '' } = useSearch({ from: '/orgs/$org/projects/$project/connectors' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/connectors' });
  const path = scoped(scope, '/connectors');
  const list = usePaged<'connectors', ConnectorManifest>('connectors', path, ALL);
  const find = (text: string) => void navigate({ search: text ? { words: text } : {}, replace: true });
  return (
    <Page title="Connectors" same={{ command: 'svc connector ls', call: `GET ${path}` }}>
      <div className="filters">
        <input
          type="search"
          aria-label="Find a connector"
          placeholder="Find a connector"
          value={words}
          onChange={({ target }) => find(target.value)}
        />
      </div>
      <List list={list} empty="This server has no connector.">
        {(items) => <Cards scope={scope} found={items.filter((one) => fitsWords(one, words))} />}
      </List>
    </Page>
  );
}

const Cards = ({ scope, found }: { scope: Scope; found: readonly ConnectorManifest[] }) =>
  found.length === 0 ? (
    <Empty>No connector has these words.</Empty>
  ) : (
    <ul className="cards">
      {found.map(({ name, title, description, actions = {}, hook }) => (
        <li key={name} className="panel">
          <h2>
            <Link to="/orgs/$org/projects/$project/connectors/$connector" params={{ ...scope, connector: name }}>
              {visible(title)}
            </Link>
          </h2>
          <div className="quiet mono">{name}</div>
          {description && <p>{visible(description)}</p>}
          {Object.keys(actions).map((action) => (
            <Tag key={action}>{action}</Tag>
          ))}
          {hook && <Tag>takes deliveries</Tag>}
        </li>
      ))}
    </ul>
  );
