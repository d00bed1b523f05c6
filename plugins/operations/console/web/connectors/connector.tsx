import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Blocks, KeyRound, Webhook } from 'lucide-react';
import { useState } from 'react';
import type {
  ConnectorManifest,
  ManifestAction,
  ManifestExample,
  ManifestValue,
} from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { KINDS } from '../connections/kinds.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { Fact } from '../kit/facts.tsx';
import { Table } from '../kit/list.tsx';
import { Panel } from '../kit/page.tsx';
import { pretty, shellQuote, visible } from '../kit/text.ts';
import { ConnectBy, UseInGraph } from './connectors.tsx';
import { examplesOf, proofOf, requestLine } from './manifest.ts';
import { brandOf } from './names.ts';
import { RenderForm } from './render-form.tsx';

/** One connector: what it does and what it sends by its examples; beside them what it wants. */
export function Connector() {
  const { connector, ...scope } = useParams({ from: '/orgs/$org/projects/$project/connectors/$connector' });
  const path = scoped(scope, `/connectors/${encodeURIComponent(connector)}`);
  const { data, error, refetch } = useQuery({
    queryKey: ['connector', path],
    queryFn: ({ signal }) => json<ConnectorManifest>(path, { signal }),
  });
  return (
    <Detail
      name={data ? brandOf(data).title : 'Connector'}
      summary={data && <Facts manifest={data} />}
      actions={
        data && (
          <>
            <UseInGraph scope={scope} manifest={data} />
            <ConnectBy scope={scope} manifest={data} />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <Manifest scope={scope} manifest={data} />}
    </Detail>
  );
}

function Manifest({ scope, manifest }: { scope: Scope; manifest: ConnectorManifest }) {
  const actions = Object.entries(manifest.actions ?? {});
  const { description, fields = [], hook, forge } = manifest;
  return (
    <Split
      title="Actions"
      about={<span className="push">{actions.length}</span>}
      left={
        <div className="left-cards">
          {actions.length === 0 && (
            <Empty icon={Blocks} title="No actions">
              It only receives deliveries: use it in a hook.
            </Empty>
          )}
          {actions.map(([name, action]) => (
            <Action key={name} scope={scope} manifest={manifest} name={name} action={action} />
          ))}
        </div>
      }
      command={`svc connector show ${shellQuote(manifest.name)}`}
    >
      <Panel title="About">
        {description && <p>{visible(description)}</p>}
        <dl>
          <Fact name="Name">
            <code>{manifest.name}</code>
          </Fact>
          <Fact name="Credential">{credentialWords(manifest)}</Fact>
          {hook && <Fact name="Deliveries">{visible(proofOf(hook))}</Fact>}
          {forge && <Fact name="Repositories">svc can create their webhooks</Fact>}
        </dl>
      </Panel>
      {fields.length > 0 && (
        <Panel title="Settings for each use" flush>
          <Values values={fields} />
        </Panel>
      )}
    </Split>
  );
}

function credentialWords({ credential }: ConnectorManifest): string {
  if (!credential) return 'None';
  const { kind, required, header } = credential;
  const parts = [
    KINDS[kind].title,
    ...(header ? [`in the ${header} header`] : []),
    ...(required === false ? ['optional'] : []),
  ];
  return parts.join(', ');
}

const Facts = ({ manifest }: { manifest: ConnectorManifest }) => {
  const { icon, category } = brandOf(manifest);
  return (
    <>
      <HeadFact icon={icon}>{category}</HeadFact>
      <HeadFact icon={KeyRound}>{credentialWords(manifest)}</HeadFact>
      {manifest.hook && <HeadFact icon={Webhook}>Receives deliveries</HeadFact>}
    </>
  );
};

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
      {inputs.length > 0 && (
        <>
          <h3>Inputs</h3>
          <Values values={inputs} />
        </>
      )}
      <h3>Request</h3>
      <p className="mono">{visible(requestLine(action))}</p>
      <details>
        <summary>
          Details<span className="hidden"> of the request for {name}</span>
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
        The input is rejected, and nothing is sent: <code>{visible(refused)}</code> is invalid.
      </p>
    )}
    <Part title="what is sent" value={request} />
    <Part title="what is returned" value={response} />
  </details>
);

const Part = ({ title, value }: { title: string; value: unknown }) =>
  value === undefined ? null : (
    <>
      <p className="part quiet">{title}</p>
      <pre>{visible(pretty(value))}</pre>
    </>
  );

const Values = ({ values }: { values: readonly ManifestValue[] }) => (
  <Table columns={['Name', 'Type', 'Description']}>
    {values.map((value) => (
      <tr key={value.name}>
        <td className="mono member">{value.name}</td>
        <td className="word">
          {value.type}
          {value.required && <div className="quiet">required</div>}
        </td>
        <td>
          {visible(value.title ?? value.description ?? '')}
          {value.one_of && <div className="quiet">one of {value.one_of.map(visible).join(', ')}</div>}
          {value.default !== undefined && (
            <div className="quiet">
              default <code>{visible(pretty(value.default))}</code>
            </div>
          )}
        </td>
      </tr>
    ))}
  </Table>
);
