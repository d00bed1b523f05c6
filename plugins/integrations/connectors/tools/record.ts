import { Errors, Expressions, type Fault, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { type Connector, ManifestReading } from '../../manifests/contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import { toCall, toExampleRequest } from '../domain/examples.ts';
import { Maskers } from '../../../security/masking/contract.ts';
import type { ConnectorAction, ConnectorValues } from '../contract.ts';
import { type NodeResponse, maskResponse } from '../domain/recorded-response.ts';
import { SecretValues } from '../domain/secret-values.ts';
import { ConnectorErrors } from '../errors.ts';
import type { PreparedExample, UnmaskedResponse } from '../local/tool-answers.ts';
import { findAction, parseValues } from './render.ts';

/** Finds the action of a manifest and lowers the call that is recorded. Throws `connector_input_invalid`. */
export const recordTool: LocalTool = {
  name: 'connector-record',
  async run(use, { args: [type = ''], flags }) {
    const manifests = await use(ManifestReading).read([String(flags.from)]);
    const action = findAction(type, manifests, use(Expressions));
    const { manifest, origin } = manifests.connectors.find(
      (one) => one.manifest.name === action.connector.name,
    ) as Connector;
    const values = { with: parseValues(flags.with, '--with'), input: parseValues(flags.input, '--input') };
    const secrets = new SecretValues({ isPublic: publicTexts(action), known: true });
    const named = secrets.mask(values);
    const masked = use(Maskers).masker(secrets.found).json(named) as typeof values;
    const call = {
      action: action.name,
      ...(Object.keys(masked.with).length > 0 ? { with: masked.with } : {}),
      ...(Object.keys(masked.input).length > 0 ? { input: masked.input } : {}),
    };
    // What is sent must be valid, and so must its masked form.
    const sent = lower(action, { ...call, ...values });
    if ('faults' in sent) throw invalid(type, sent.faults);
    const lowered = lower(action, call);
    if ('faults' in lowered)
      throw invalid(type, lowered.faults, '; svc masks values that are named like secrets, and cannot send the masks');
    if (manifest.credential && manifest.credential.required !== false && typeof flags.credential !== 'string')
      throw Errors.invalidRequest(
        `${type} needs a credential of kind ${manifest.credential.kind}; name it with --credential`,
      );
    const json: PreparedExample = {
      file: origin,
      manifest,
      action: action.name,
      call: values,
      secrets: secrets.found,
      example: { ...call, request: toExampleRequest(lowered.request) },
    };
    return { json, text: '' };
  },
};

/** Masks the response of a recorded call. */
export const maskTool: LocalTool = {
  name: 'connector-mask',
  async run(use, { input }) {
    const { response, secrets } = input as UnmaskedResponse;
    const maskerOf = (values: readonly string[]) => use(Maskers).masker(values);
    return { json: maskResponse(parseExact(response) as NodeResponse, secrets, maskerOf), text: '' };
  },
};

const lower = (action: ConnectorAction, call: { with?: ConnectorValues; input?: ConnectorValues }) =>
  action.lower(toCall({ action: action.name, ...call }));

const invalid = (type: string, faults: readonly Fault[], why = '') =>
  ConnectorErrors.inputInvalid(
    `${type}: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}${why}`,
    { errors: [...faults] },
  );

/** The choices and defaults that the manifest itself shows. */
function publicTexts({ connector, described }: ConnectorAction): (text: string) => boolean {
  const declared = [...(connector.fields ?? []), ...(described.inputs ?? [])];
  const texts = new Set(declared.flatMap((one) => [...(one.one_of ?? []), one.default as unknown]));
  return (text) => texts.has(text);
}
