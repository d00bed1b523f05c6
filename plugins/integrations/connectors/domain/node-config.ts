import type { JsonSchema } from '../../../../kernel/contracts/index.ts';
import type { ManifestValue } from '../../manifests/contract.ts';
import { NODE_HEADERS } from '../../requests/contract.ts';
import type { ConnectorAction } from '../contract.ts';

/** A string with a template, which may evaluate to any type. */
const TEMPLATE = { type: 'string', pattern: String.raw`\{\{` } as const;

/** The JSON Schema of the config of a node of this action. */
export function configSchema({ connector, described }: ConnectorAction): JsonSchema {
  const { fields = [], credential } = connector;
  const { inputs = [], more_inputs = false } = described;
  const needed = [
    ...(fields.some(({ required }) => required) ? ['with'] : []),
    ...(inputs.some(({ required }) => required) ? ['input'] : []),
  ];
  return {
    type: 'object',
    additionalProperties: false,
    ...(needed.length > 0 ? { required: needed } : {}),
    properties: {
      with: valuesSchema(fields, false),
      input: valuesSchema(inputs, more_inputs),
      headers: {
        ...NODE_HEADERS,
        description:
          'They override the headers of the connector and the credential. A null has the same effect as leaving the header out.',
      },
      ...(credential ? { credential: { type: 'string', minLength: 1, maxLength: 63 } } : {}),
      retry_on: { type: 'array', maxItems: 100, items: { type: 'integer', minimum: 100, maximum: 599 } },
      fail_on_error_status: { type: 'boolean' },
    },
  };
}

function valuesSchema(values: readonly ManifestValue[], more: boolean): JsonSchema {
  const required = values.filter((one) => one.required).map(({ name }) => name);
  return {
    type: 'object',
    additionalProperties: more,
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(values.map((one) => [one.name, valueSchema(one)])),
  };
}

function valueSchema({ type, one_of, title, description }: ManifestValue): JsonSchema {
  const words = { ...(title ? { title } : {}), ...(description ? { description } : {}) };
  if (type === 'any') return words;
  if (type === 'string' && !one_of) return { ...words, type };
  return { ...words, if: TEMPLATE, else: one_of ? { enum: one_of } : { type } };
}
