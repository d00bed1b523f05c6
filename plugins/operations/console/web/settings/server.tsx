import { useQuery } from '@tanstack/react-query';
import { Variable } from 'lucide-react';
import type { ServerSettings, ServerView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Loading, Name, Problem } from '../kit/basics.tsx';
import { Fact } from '../kit/facts.tsx';
import { Rows } from '../kit/rows.tsx';
import { span, visible } from '../kit/text.ts';
import { Section } from './section.tsx';

export const SERVER = '/api/v1/server';
export const settingsPath = (org: string): string => `/api/v1/orgs/${encodeURIComponent(org)}/server/settings`;

const STORES: Record<ServerView['store'], string> = {
  sqlite: 'SQLite: one server',
  mysql: 'MySQL or MariaDB: any number of servers',
};
const WAKE_UPS: Record<ServerView['wake_ups'], string> = {
  nats: 'By NATS',
  polling: 'By polling',
};

/** What the server is. It is set by the environment of its process, so nothing here is changed from a page. */
export function Server({ org, owns }: { org: string; owns: boolean }) {
  const server = useQuery({ queryKey: ['server'], queryFn: ({ signal }) => json<ServerView>(SERVER, { signal }) });
  return (
    <>
      <Section title="Server" about="The operator sets these variables when starting the server.">
        {server.error && <Problem error={server.error} again={() => void server.refetch()} />}
        {server.isPending && <Loading />}
        {server.data && <Facts server={server.data} />}
      </Section>
      {owns && <Environment org={org} />}
    </>
  );
}

const Facts = ({ server }: { server: ServerView }) => (
  <dl>
    <Fact name="Version">
      svc {visible(server.version)}, Node {visible(server.node)}
    </Fact>
    <Fact name="Started as">
      <code>{server.role === 'dev' ? 'svc dev' : 'svc serve'}</code>
    </Fact>
    <Fact name="Store">{STORES[server.store]}</Fact>
    <Fact name="Public address">
      {server.public_url ? (
        <Name>{server.public_url}</Name>
      ) : (
        <span className="quiet">
          Not set; <code>SVC_PUBLIC_URL</code> sets it
        </span>
      )}
    </Fact>
    <Fact name="Wake-ups">{WAKE_UPS[server.wake_ups]}</Fact>
    <Fact name="Claim lease">{span(server.lease_ms)}</Fact>
    <Fact name="Retention">{server.retention ? <code>{visible(server.retention)}</code> : 'Unlimited'}</Fact>
    <Fact name="Rate limits">{server.rate_limit ? <code>{visible(server.rate_limit)}</code> : 'Default'}</Fact>
  </dl>
);

function Environment({ org }: { org: string }) {
  const path = settingsPath(org);
  const { data, error, refetch } = useQuery({
    queryKey: ['server settings', org],
    queryFn: ({ signal }) => json<ServerSettings>(path, { signal }),
  });
  return (
    <Section
      title="Environment"
      about="Variables that the server was started with. Values that may be secret are not shown."
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <dl>
            <Fact name="Requests may reach">{visible(data.egress)}</Fact>
          </dl>
          {data.settings.length === 0 ? (
            <Empty title="Nothing is set">All settings have their default values.</Empty>
          ) : (
            <Rows<Setting>
              label="Environment"
              head="Setting"
              items={data.settings}
              keyOf={({ name }) => name}
              mark={() => <Mark icon={Variable} />}
              title={({ name }) => (
                <code className="clip" title={visible(name)}>
                  {visible(name)}
                </code>
              )}
              columns={[{ name: 'Value', cell: (setting) => <Value setting={setting} /> }]}
              second={(setting) => <Value setting={setting} />}
            />
          )}
        </>
      )}
    </Section>
  );
}

type Setting = ServerSettings['settings'][number];

const Value = ({ setting: { value } }: { setting: Setting }) =>
  value === undefined ? (
    <span className="quiet">Set, not shown</span>
  ) : (
    <span className="clip" title={visible(value)}>
      {visible(value)}
    </span>
  );
