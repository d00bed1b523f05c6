import { useParams } from '@tanstack/react-router';
import { Server } from 'lucide-react';
import type { AgentRecord } from '../../../../../cli/generated/api.ts';
import { Panels } from '../extensions/panels.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Status, Time } from '../kit/basics.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { type Column, Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';

const PATH = '/api/v1/agents';

/** The agents of all orgs that the person is in: an agent serves an org, or one project of it. */
export function Agents() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/agents' });
  const list = usePaged<'agents', AgentRecord>('agents', PATH, {}, { again_ms: AGAIN_MS, whole: true });
  const online = list.items?.filter(({ state }) => state === 'online') ?? [];
  return (
    <Page
      title="Agents"
      bleed
      about={
        list.count !== undefined &&
        `${online.length} online · ${online.reduce((sum, { slots }) => sum + slots, 0)} slots`
      }
      same={{ command: 'svc agents ls', call: `GET ${PATH}` }}
    >
      <List
        list={list}
        nothing={
          <Empty icon={Server} title="No agents yet">
            Agents run your workflows. Start one with <code>svc agent</code>.
          </Empty>
        }
      >
        {(agents) => (
          <>
            <p className="lead">
              Agents run jobs for every project in their org, unless their token is limited to one project. A
              disconnected agent is shown for 24 hours.
            </p>
            <Rows<AgentRecord>
              label="Agents"
              head="Agent"
              items={agents}
              keyOf={({ agent_id }) => agent_id}
              mark={() => <Mark icon={Server} />}
              title={({ name, server }) => (
                <span className="strong clip" title={`${visible(name)}, connected to ${visible(server)}`}>
                  {visible(name)}
                </span>
              )}
              columns={COLUMNS}
              second={(agent) => (
                <>
                  <Status of={agent.state} />
                  <span className="clip">
                    {placeOf(agent)} · {agent.slots} slots
                  </span>
                </>
              )}
              aside={(agent) => <Seen agent={agent} />}
            />
          </>
        )}
      </List>
      <div className="panels-below">
        <Panels scope={scope} place="agents" />
      </div>
    </Page>
  );
}

/** Found out by the agent, and told in words beside. */
const isOwn = (capability: string): boolean => capability.startsWith('svc:');

const placeOf = ({ org, project }: AgentRecord): string => {
  if (!org) return 'Built into svc dev';
  return visible(project ? `${org}/${project}` : `Org ${org}`);
};

const COLUMNS: readonly Column<AgentRecord>[] = [
  { name: 'State', look: 'c-short', cell: ({ state }) => <Status of={state} /> },
  { name: 'Serves', look: 'c-state', cell: placeOf },
  { name: 'Slots', look: 'c-slots', cell: ({ slots }) => slots },
  {
    ...{ name: 'Capabilities' },
    cell: ({ capabilities }) => {
      const named = capabilities.filter((name) => !isOwn(name));
      if (named.length === 0) return <span className="quiet">None</span>;
      const text = named.map(visible).join(', ');
      return <span title={text}>{text}</span>;
    },
  },
  { name: 'Untrusted runs', look: 'c-state c-roomy second', cell: (agent) => <Untrusted agent={agent} /> },
  {
    ...{ name: 'Version', look: 'c-state c-roomy second' },
    cell: ({ version, os, arch }) => visible(`${version}, ${os} ${arch}`),
  },
  { name: 'Seen', look: 'c-end', cell: (agent) => <Seen agent={agent} /> },
];

const UNTRUSTED = { isolate: 'Isolated', refuse: 'Refused', only: 'Isolated; no trusted runs' } as const;

/** What becomes of untrusted runs there. */
function Untrusted({ agent: { untrusted, isolation_missing } }: { agent: AgentRecord }) {
  if (untrusted === 'refuse' || isolation_missing === undefined) return UNTRUSTED[untrusted];
  return <span title={visible(isolation_missing)}>None: this agent cannot isolate runs</span>;
}

/** Since when it is connected, or when it was seen last. */
function Seen({ agent: { state, connected_at, last_seen_at } }: { agent: AgentRecord }) {
  const at = state === 'online' ? connected_at : last_seen_at;
  return at ? <Time at={at} /> : null;
}
