import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type {
  ConnectorManifest,
  ManifestAction,
  ManifestExample,
  ManifestValue,
} from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { Table } from '../kit/list.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { pretty, shellQuote, visible } from '../kit/text.ts';
import { examplesOf, proofOf, requestLine } from './manifest.ts';
import { RenderForm } from './render-form.tsx';

/** One connector: what it wants, what it does, and what it sends by its examples. */
export function Connector() {
  const { connector, ...scope } = useParams({ from: '/orgs/$org/projects/$project/connectors/$connector' });
  const path = scoped(scope, `/connectors/${encodeURIComponent(connector)}`);
  const { data, error, refetch } = useQuery({
    queryKey: ['connector', path],
    queryFn: ({ signal }) => json<ConnectorManifest>(path, { signal }),
  });
  return (
    <Page
      title={data ? visible(data.title) : 'Connector'}
      actions={
        <Link className="button" to="/orgs/$org/projects/$project/connectors" params={scope}>
          All connectors
        </Link>
      }
      same={{ command: `svc connector show ${shellQuote(connector)}`, call: `GET ${path}` }}
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Manifest scope={scope} manifest={data} />}
    </Page>
  );
}

const Manifest = ({ scope, manifest }: { scope: Scope; manifest: ConnectorManifest }) => (
  <>
    <Facts manifest={manifest} />
    {Object.entries(manifest.actions ?? {}).map(([name, action]) => (
      <Action key={name} scope={scope} manifest={manifest} name={name} action={action} />
    ))}
  </>
);

function Facts({
  manifest: { name, description, credential, fields = [], hook, forge },
}: {
  manifest: ConnectorManifest;
}) {
  return (
    <Panel title="What it is">
      {description && <p>{visible(description)}</p>}
      <dl>
        <dt>Name</dt>
        <dd className="mono">{name}</dd>
        <dt>Credential</dt>
        <dd>
          {credential
            ? `${credential.kind}${credential.required === false ? ', if there is one' : ''}${credential.header ? `, in the header ${credential.header}` : ''}`
            : 'none'}
        </dd>
        {hook && (
          <>
            <dt>Deliveries</dt>
            <dd>proved {visible(proofOf(hook))}</dd>
          </>
        )}
        {forge && (
          <>
            <dt>Forge</dt>
            <dd>it has repositories, for which webhooks can be made</dd>
          </>
        )}
      </dl>
      {fields.length > 0 && <Values title="Fields, filled in once for each use" values={fields} />}
    </Panel>
  );
}

interface ActionProps {
  scope: Scope;
  manifest: ConnectorManifest;
  name: string;
  action: ManifestAction;
}

function Action({ scope, manifest, name, action }: ActionProps) {
  const { title, description, inputs = [], request } = action;
  const examples = examplesOf(manifest, name);
  const [tries, setTries] = useState(false);
  return (
    <Panel title={visible(title ?? name)} aside={<code>{`${manifest.name}.${name}`}</code>}>
      {description && <p>{visible(description)}</p>}
      {inputs.length > 0 && <Values title="Inputs" values={inputs} />}
      <h3>Request</h3>
      <p className="mono">{visible(requestLine(action))}</p>
      <details>
        <summary>
          Its parts<span className="hidden"> of {name}</span>
        </summary>
        <pre>{visible(pretty(request))}</pre>
      </details>
      {examples.map((example, at) => (
        // Examples have no id, and a manifest does not change while its server runs.
        <Example key={`${name} ${example.title ?? at}`} example={example} />
      ))}
      <details onToggle={(event) => setTries(event.currentTarget.open)}>
        <summary>
          Try it without sending<span className="hidden"> {name}</span>
        </summary>
        {tries && (
          <RenderForm
            scope={scope}
            connector={manifest.name}
            action={name}
            described={action}
            fields={manifest.fields ?? []}
            example={examples.find(({ refused }) => refused === undefined)}
          />
        )}
      </details>
    </Panel>
  );
}

const Example = ({
  example: { title = 'An example', with: fields, input, request, refused, response },
}: {
  example: ManifestExample;
}) => (
  <details>
    <summary>Example: {visible(title)}</summary>
    <Part title="with" value={fields} />
    <Part title="input" value={input} />
    {refused && (
      <p>
        It is refused, and nothing is sent: <code>{visible(refused)}</code> is wrong.
      </p>
    )}
    <Part title="what is sent" value={request} />
    <Part title="what comes back" value={response} />
  </details>
);

const Part = ({ title, value }: { title: string; value: unknown }) =>
  value === undefined ? null : (
    <>
      <p className="part quiet">{title}</p>
      <pre>{visible(pretty(value))}</pre>
    </>
  );

const Values = ({ title, values }: { title: string; values: readonly ManifestValue[] }) => (
  <>
    <h3>{title}</h3>
    <Table columns={['Name', 'Type', 'What']}>
      {values.map((value) => (
        <tr key={value.name}>
          <td className="mono">{value.name}</td>
          <td className="word">
            {value.type}
            {value.required && <div className="quiet">required</div>}
          </td>
          <td>
            {visible(value.title ?? value.description ?? '')}
            {value.one_of && <div className="quiet">one of {value.one_of.map(visible).join(', ')}</div>}
            {value.default !== undefined && (
              <div className="quiet">
                otherwise <code>{visible(pretty(value.default))}</code>
              </div>
            )}
          </td>
        </tr>
      ))}
    </Table>
  </>
);
