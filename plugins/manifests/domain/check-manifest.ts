import { faultsBy, pointerTo, UNKNOWN_MEMBER } from '../../schema/contract.ts';
import type { ManifestFault } from '../contract.ts';
import type { ConnectorManifest, ManifestValue } from '../generated/connector-manifest.ts';
import schema from '../schema/connector-manifest.schema.json' with { type: 'json' };
import { deliveryFaults } from './check-deliveries.ts';
import { hookFaults } from './check-hook.ts';

const schemaFaults = faultsBy(schema);

/** Every fault of a document as a `svc-connector/v1` manifest, but for its templates; empty when there is none. */
export function manifestFaults(document: unknown): ManifestFault[] {
  const faults = schemaFaults(document);
  if (faults.length > 0) return faults.map(({ pointer, message }) => ({ pointer, message, ...ruleOf(message) }));
  const manifest = document as ConnectorManifest;
  return [
    ...valueFaults(manifest.fields, '/fields', false),
    ...Object.entries(manifest.actions ?? {}).flatMap(([name, action]) =>
      valueFaults(action!.inputs, `${pointerTo('/actions', name)}/inputs`, true),
    ),
    ...credentialFaults(manifest),
    ...(manifest.hook ? hookFaults(manifest.hook) : []),
    ...exampleFaults(manifest),
  ];
}

const PAGE = 'docs/connectors.md lists the members of a manifest';

function ruleOf(message: string): Pick<ManifestFault, 'rule' | 'fix'> {
  if (message.startsWith(UNKNOWN_MEMBER))
    return {
      rule: 'unknown_member',
      fix: `remove it, or correct its name; a manifest holds data and no code; ${PAGE}`,
    };
  if (message === 'is required') return { rule: 'required', fix: `add it; ${PAGE}` };
  return { rule: 'schema', fix: `change it so that it is what the message says; ${PAGE}` };
}

/** Names are unique. Only text inputs may be Markdown. */
function valueFaults(values: readonly ManifestValue[] = [], at: string, inputs: boolean): ManifestFault[] {
  const seen = new Set<string>();
  return values.flatMap(({ name, type, markdown, one_of, required, ...rest }, index) => {
    const faults: ManifestFault[] = [];
    const say = (member: string, rule: string, message: string, fix: string) =>
      faults.push({ pointer: `${pointerTo(at, index)}/${member}`, rule, message, fix });
    if (seen.has(name))
      say('name', 'name_twice', 'is also the name of another one', 'give each value a name of its own');
    seen.add(name);
    if (markdown && (type !== 'string' || !inputs))
      say('markdown', 'markdown_text', 'is allowed only for inputs of type string', 'remove it here');
    if (one_of && type !== 'string')
      say('one_of', 'one_of_text', 'is allowed only for type string', 'remove it, or make the type string');
    if (required && 'default' in rest)
      say('default', 'default_unused', 'has no effect where the value is required', 'remove it, or remove `required`');
    return faults;
  });
}

function credentialFaults({ credential }: ConnectorManifest): ManifestFault[] {
  if (credential?.header === undefined || credential.kind === 'api_key') return [];
  return [
    {
      pointer: '/credential/header',
      rule: 'header_of_api_key',
      message: 'is allowed only for kind api_key',
      fix: 'remove it: the other kinds have their own place',
    },
  ];
}

/** An example shows an action or a delivery. */
function exampleFaults(manifest: ConnectorManifest): ManifestFault[] {
  const { examples = [], actions = {} } = manifest;
  return examples.flatMap((example, index) => {
    const { action, request, refused, delivery } = example;
    const at = pointerTo('/examples', index);
    const fault = (member: string, rule: string, message: string, fix: string): ManifestFault[] => [
      { pointer: `${at}${member}`, rule, message, fix },
    ];
    if ((action === undefined) === (delivery === undefined))
      return fault('', 'example_form', 'must have either `action` or `delivery`', 'keep one of the two');
    if (delivery !== undefined) return deliveryFaults(manifest, delivery, `${at}/delivery`);
    if (!Object.hasOwn(actions, action!))
      return fault(
        '/action',
        'action_unknown',
        'is not an action of this manifest',
        `use ${Object.keys(actions).join(', ')}`,
      );
    if ((request === undefined) !== (refused === undefined)) return [];
    return fault(
      '/request',
      'required',
      'is required with `action`, or `refused` in its place',
      'write the request that the action comes to',
    );
  });
}
