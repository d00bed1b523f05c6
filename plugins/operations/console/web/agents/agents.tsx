import { useParams } from '@tanstack/react-router';
import type { AgentRecord } from '../../../../../cli/generated/api.ts';
import { Panels } from '../extensions/panels.tsx';
import { Name, Status, Tag, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';

const PATH = '/api/v1/agents';

/** The agents of all orgs that the person is in: an agent serves an org, or one project of it. */
export function Agents() {
  const list = usePaged<'agents', AgentRecord>('agents', PATH, {}, { again_ms: AGAIN_MS });
  return (
    <Page title="Agents" same={{ command: 'svc agents ls', call: `GET ${PATH}` }}>
      <p className="quiet">
        Agents run the jobs of every project of their org, unless their token is limited to one project. A disconnected
        agent is shown for 24 hours.
      </p>
      <List list={list} empty="No agent is connected.">
        {(items) => (
          <Table columns={['Agent', 'State', 'Slots', '-Untrusted runs', 'Capabilities', '-Version', '-Server']}>
            {items.map((agent) => (
              <Agent key={agent.agent_id} agent={agent} />
            ))}
          </Table>
        )}
      </List>
      <Panels scope={useParams({ from: '/orgs/$org/projects/$project/agents' })} place="agents" />
    </Page>
  );
}

/** Found out by the agent, and told in words beside. */
const isOwn = (capability: string): boolean => capability.startsWith('svc:');

function Agent({ agent }: { agent: AgentRecord }) {
  return (
    <tr>
      <td>
        <strong>
          <Name>{agent.name}</Name>
        </strong>
        <div className="quiet">
          {agent.org
            ? `of the ${agent.project ? `project ${agent.project}` : `org ${agent.org}`}`
            : 'built into svc dev'}
          , {visible(`${agent.os} ${agent.arch}`)}
        </div>
      </td>
      <td className="word">
        <Status of={agent.state} />
        <div className="quiet">
          <Since agent={agent} />
        </div>
      </td>
      <td>{agent.slots}</td>
      <td className="wide">
        <Untrusted agent={agent} />
      </td>
      <td>
        {agent.capabilities.every(isOwn) && <span className="quiet">none</span>}
        {agent.capabilities
          .filter((name) => !isOwn(name))
          .map((name) => (
            <Tag key={name}>{name}</Tag>
          ))}
      </td>
      <td className="wide">{visible(agent.version)}</td>
      <td className="wide tight">
        <Name>{agent.server}</Name>
      </td>
    </tr>
  );
}

const UNTRUSTED = { isolate: 'isolated', refuse: 'refused', only: 'isolated; takes no others' } as const;

/** What becomes of untrusted runs there. */
function Untrusted({ agent: { untrusted, isolation_missing } }: { agent: AgentRecord }) {
  if (untrusted === 'refuse' || isolation_missing === undefined) return UNTRUSTED[untrusted];
  return (
    <>
      none: it cannot isolate <div className="quiet">{visible(isolation_missing)}</div>
    </>
  );
}

function Since({ agent: { state, connected_at, last_seen_at } }: { agent: AgentRecord }) {
  if (state === 'online')
    return connected_at ? (
      <>
        connected <Time at={connected_at} />
      </>
    ) : null;
  return last_seen_at ? (
    <>
      last seen <Time at={last_seen_at} />
    </>
  ) : null;
}
