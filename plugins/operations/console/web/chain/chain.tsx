import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePlay, Radio } from 'lucide-react';
import { useState } from 'react';
import type { Chain, ChainLink } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Empty, Loading, Problem, StatusIcon, Time } from '../kit/basics.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { Panel, Same } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { AFTER, BEFORE, type Branch, treeOf } from './words.ts';
import './chain.css';

const FEW = 25;
const MOST = 200;

/** What led to a run or an event, and what came of it. */
export function ChainPanel({ scope, kind, id }: { scope: Scope; kind: 'runs' | 'events'; id: string }) {
  const [limit, setLimit] = useState(FEW);
  const path = scoped(scope, `/${kind}/${encodeURIComponent(id)}/chain`);
  const read = useQuery({
    queryKey: ['chain', path, limit],
    placeholderData: keepPreviousData,
    // A browser keeps six connections to a server for all its pages, so not every panel has a stream of its own.
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => json<Chain>(`${path}${query({ limit })}`, { signal }),
  });
  return (
    <Panel title="Lineage">
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {read.data && <Both scope={scope} chain={read.data} kind={kind} />}
      {read.data?.after_more && limit < MOST && (
        <p>
          <button type="button" onClick={() => setLimit(MOST)}>
            Show more
          </button>
        </p>
      )}
      {read.data?.after_more && limit === MOST && (
        <p className="quiet">The chain has more links. Open one to continue from there.</p>
      )}
      <Same by={{ command: `svc runs chain ${id}`, call: `GET ${path}` }} />
    </Panel>
  );
}

const NOTHING = {
  runs: 'Started manually. No follow-up runs.',
  events: 'Emitted by hand. Nothing has reacted yet.',
};

interface BothProps {
  scope: Scope;
  chain: Chain;
  kind: 'runs' | 'events';
}

function Both({ scope, chain: { before, before_more, after }, kind }: BothProps) {
  if (before.length === 0 && after.length === 0) return <Empty>{NOTHING[kind]}</Empty>;
  return (
    <>
      {before.length > 0 && (
        <>
          <h3>Caused by</h3>
          <ol className="chain">
            {before.map((link) => (
              <li key={link.id}>
                <Item scope={scope} link={link} says={BEFORE[link.relation]} />
              </li>
            ))}
          </ol>
          {before_more && <p className="quiet">The chain has earlier links.</p>}
        </>
      )}
      {after.length > 0 && (
        <>
          <h3>Follow-ups</h3>
          <Branches scope={scope} branches={treeOf(after)} />
        </>
      )}
    </>
  );
}

const Branches = ({ scope, branches }: { scope: Scope; branches: readonly Branch[] }) => (
  <ul className="chain">
    {branches.map(({ link, onwards }) => (
      <li key={`${link.relation} ${link.id}`}>
        <Item scope={scope} link={link} says={AFTER[link.relation]} />
        {onwards.length > 0 && <Branches scope={scope} branches={onwards} />}
      </li>
    ))}
  </ul>
);

function Item({ scope, link, says }: { scope: Scope; link: ChainLink; says: string }) {
  const name = link.name === undefined ? `${link.id} (no longer stored)` : visible(link.name);
  const Icon = link.kind === 'run' ? CirclePlay : Radio;
  return (
    <div className="chain-link">
      {link.status ? <StatusIcon of={link.status} /> : <Icon size={16} aria-hidden />}
      <span className="second">{says}</span>{' '}
      {link.kind === 'run' ? (
        <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: link.id }}>
          {name}
        </Link>
      ) : (
        <Link to="/orgs/$org/projects/$project/events/$event" params={{ ...scope, event: link.id }}>
          {name}
        </Link>
      )}{' '}
      <span className="quiet">
        {link.kind} <span className="mono">{link.id.slice(-6)}</span>
      </span>{' '}
      {link.at && (
        <span className="push quiet">
          <Time at={link.at} />
        </span>
      )}
    </div>
  );
}
