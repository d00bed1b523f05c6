import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type {
  ConnectorManifest,
  ManifestAction,
  ManifestExample,
  ManifestValue,
} from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { scoped } from '../api/paths.ts';
import { Copy, Loading, Problem } from '../kit/basics.tsx';
import { Table } from '../kit/list.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { pretty, shellQuote, visible } from '../kit/text.ts';
import { examplesOf, proofOf, renderCommand, requestLine } from './manifest.ts';

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
      {data && <Manifest manifest={data} />}
    </Page>
  );
}

const Manifest = ({ manifest }: { manifest: ConnectorManifest }) => (
  <>
    <Facts manifest={manifest} />
    {Object.entries(manifest.actions ?? {}).map(([name, action]) => (
      <Action key={name} manifest={manifest} name={name} action={action} />
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

function Action({ manifest, name, action }: { manifest: ConnectorManifest; name: string; action: ManifestAction }) {
  const { title, description, inputs = [], request } = action;
  const examples = examplesOf(manifest, name);
  const command = renderCommand(manifest.name, name, examples[0], shellQuote);
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
      <p className="quiet">
        Without sending it: <code>{command}</code> <Copy text={command} label={`Copy the command for ${name}`} />
      </p>
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
