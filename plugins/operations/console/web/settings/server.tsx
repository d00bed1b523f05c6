import { useQuery } from '@tanstack/react-query';
import type { ServerSettings, ServerView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { Empty, Loading, Name, Problem } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { Table } from '../kit/list.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { span, visible } from '../kit/text.ts';

const PATH = '/api/v1/server';
const STORES: Record<ServerView['store'], string> = {
  sqlite: 'SQLite: one server',
  mysql: 'MySQL or MariaDB: any number of servers',
};
const WAKE_UPS: Record<ServerView['wake_ups'], string> = {
  nats: 'by NATS',
  polling: 'servers find each other’s work by polling',
};

/** What the server is. It is set by the environment of its process, so nothing here is changed from a page. */
export function Server({ org, owns }: { org: string; owns: boolean }) {
  const server = useQuery({ queryKey: ['server'], queryFn: ({ signal }) => json<ServerView>(PATH, { signal }) });
  return (
    <>
      <Panel title="Server">
        {server.error && <Problem error={server.error} again={() => void server.refetch()} />}
        {server.isPending && <Loading />}
        {server.data && <Facts server={server.data} />}
        <Same by={{ command: 'svc server show', call: `GET ${PATH}` }} />
      </Panel>
      {owns && <SetHere org={org} />}
    </>
  );
}

const Facts = ({ server }: { server: ServerView }) => (
  <dl>
    <Fact name="Version">
      svc {visible(server.version)}, Node {visible(server.node)}
    </Fact>
    <Fact name="Started as">{server.role === 'dev' ? 'svc dev' : 'svc serve'}</Fact>
    <Fact name="Store">{STORES[server.store]}</Fact>
    <Fact name="Address">
      {server.public_url ? (
        <Name>{server.public_url}</Name>
      ) : (
        <span className="quiet">
          none that others know; <code>SVC_PUBLIC_URL</code> sets it
        </span>
      )}
    </Fact>
    <Fact name="Wake-ups">{WAKE_UPS[server.wake_ups]}</Fact>
    <Fact name="Lease of a claim">{span(server.lease_ms)}</Fact>
    <Fact name="Kept">{server.retention ? <code>{visible(server.retention)}</code> : 'Unlimited'}</Fact>
    <Fact name="Rate limits">{server.rate_limit ? <code>{visible(server.rate_limit)}</code> : 'the default ones'}</Fact>
  </dl>
);

function SetHere({ org }: { org: string }) {
  const path = `/api/v1/orgs/${encodeURIComponent(org)}/server/settings`;
  const { data, error, refetch } = useQuery({
    queryKey: ['server settings', org],
    queryFn: ({ signal }) => json<ServerSettings>(path, { signal }),
  });
  return (
    <Panel title="What is set">
      <p className="quiet">
        Settings come from the environment of the server. The values of those that may hold a secret are not shown.
      </p>
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <dl>
            <Fact name="Requests may reach">{visible(data.egress)}</Fact>
          </dl>
          {data.settings.length === 0 ? (
            <Empty>Nothing is set: all settings have their defaults.</Empty>
          ) : (
            <Table columns={['Setting', 'Value']}>
              {data.settings.map(({ name, value }) => (
                <tr key={name}>
                  <td>
                    <code>{visible(name)}</code>
                  </td>
                  <td>{value === undefined ? <span className="quiet">set, not shown</span> : visible(value)}</td>
                </tr>
              ))}
            </Table>
          )}
        </>
      )}
      <Same by={{ command: 'svc server settings', call: `GET ${path}` }} />
    </Panel>
  );
}
