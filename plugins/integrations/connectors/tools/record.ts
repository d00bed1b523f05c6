import { Errors, Expressions, type LocalTool } from '../../../../kernel/contracts/index.ts';
import { type Connector, ManifestReading } from '../../manifests/contract.ts';
import { toCall, toExampleRequest } from '../domain/examples.ts';
import { ConnectorErrors } from '../errors.ts';
import type { PreparedExample } from '../local/tool-answers.ts';
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
    const call = {
      action: action.name,
      ...(Object.keys(values.with).length > 0 ? { with: values.with } : {}),
      ...(Object.keys(values.input).length > 0 ? { input: values.input } : {}),
    };
    const lowered = action.lower(toCall(call));
    if ('faults' in lowered) {
      const detail = lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
      throw ConnectorErrors.inputInvalid(`${type}: ${detail}`, { errors: lowered.faults });
    }
    if (manifest.credential && manifest.credential.required !== false && typeof flags.credential !== 'string')
      throw Errors.invalidRequest(
        `${type} needs a credential of kind ${manifest.credential.kind}; name it with --credential`,
      );
    const json: PreparedExample = {
      file: origin,
      manifest,
      action: action.name,
      example: { ...call, request: toExampleRequest(lowered.request) },
    };
    return { json, text: '' };
  },
};
