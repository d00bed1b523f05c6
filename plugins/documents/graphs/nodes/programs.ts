import type { Fault } from '../../../../kernel/contracts/index.ts';
import { flowConfigInvalid, type FlowNodeContext, type FlowNodeType } from '../../../engine/flows/contract.ts';
import { type Json, variableFault } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import { SCRIPT_EXECUTOR, scriptSpec } from '../../../execution/scripts/contract.ts';
import type { GraphNodeType, NamedCredential, NodeConfig } from '../contract.ts';
import { isObject } from '../domain/values.ts';
import { validateLiterals } from './literals.ts';

/** The file extension of each language of `code`, and the capability that its agent needs. */
const LANGUAGES: Readonly<Record<string, { ending: string; requires: string }>> = {
  javascript: { ending: '.js', requires: 'node' },
  typescript: { ending: '.ts', requires: 'node' },
  python: { ending: '.py', requires: 'python3' },
  go: { ending: '.go', requires: 'go' },
  bash: { ending: '.sh', requires: 'bash' },
};
const DEFAULT_LANGUAGE = 'javascript';
const CREDENTIAL = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
const FLOW_TYPE = 'graph.program';

const COMMON = {
  script: { type: 'string', minLength: 1, description: 'The program. `{{` has no special meaning in it.' },
  env: {
    type: 'object',
    maxProperties: 256,
    additionalProperties: { type: ['string', 'number', 'boolean'] },
    description: 'Variables. An expression can return any JSON.',
  },
  credentials: {
    type: 'object',
    maxProperties: 64,
    additionalProperties: { type: 'string', pattern: CREDENTIAL },
    description: 'Variables that get the values of credentials.',
  },
  requires: {
    type: 'array',
    maxItems: 32,
    items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:+-]{0,62}$' },
    description: 'Capabilities that the agent must have.',
  },
};

function validateVariables({ env, credentials }: NodeConfig): Fault[] {
  const errorsAt = (member: string, name: string, message: string | undefined): Fault[] =>
    message === undefined ? [] : [{ pointer: pointerTo(`/${member}`, name), message }];
  return [
    ...Object.keys(isObject(env) ? env : {}).flatMap((name) => errorsAt('env', name, validateEnvName(name))),
    ...Object.keys(isObject(credentials) ? credentials : {}).flatMap((name) =>
      errorsAt('credentials', name, variableFault(name)),
    ),
  ];
}

function validateEnvName(name: string): string | undefined {
  if (name === '$expr') return undefined;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return 'is not a variable name: [A-Za-z_][A-Za-z0-9_]{0,127}';
  return name.startsWith('SVC_') ? 'variables that begin with SVC_ are reserved for the service' : undefined;
}

function credentialsOf({ credentials }: NodeConfig): NamedCredential[] {
  return Object.entries(isObject(credentials) ? credentials : {}).flatMap(([variable, name]) =>
    typeof name === 'string' ? [{ name, pointer: pointerTo('/credentials', variable) }] : [],
  );
}

const shell: GraphNodeType = {
  type: 'shell',
  title: 'A bash script on an agent',
  config: { type: 'object', required: ['script'], properties: COMMON },
  faults: (config) => [...validateVariables(config), ...validateLiterals(config, ['requires'])],
  credentials: credentialsOf,
  lower: (config) => ({ type: FLOW_TYPE, config: { ...config, ending: '.sh', capability: 'bash' } }),
};

const code: GraphNodeType = {
  type: 'code',
  title: 'A program on an agent',
  config: {
    type: 'object',
    required: ['script'],
    properties: {
      ...COMMON,
      language: { enum: Object.keys(LANGUAGES), description: `Default ${DEFAULT_LANGUAGE}.` },
      interpreter: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
        description: "Command that runs the program instead of the language's default; split at spaces.",
      },
    },
  },
  faults: (config) => [
    ...validateVariables(config),
    ...validateLiterals(config, ['requires', 'language', 'interpreter']),
  ],
  credentials: credentialsOf,
  lower({ language, ...config }) {
    const { ending, requires } = LANGUAGES[typeof language === 'string' ? language : DEFAULT_LANGUAGE]!;
    return { type: FLOW_TYPE, config: { ...config, ending, capability: config.interpreter ? null : requires } };
  },
};

export const programNodes: readonly GraphNodeType[] = [shell, code];

/** A pass of the program on an agent; what it prints is the output. */
export const programFlowNode: FlowNodeType = {
  type: FLOW_TYPE,
  begin(_tx, node) {
    const { script, ending, interpreter, capability, requires, env = {}, credentials = {} } = node.config;
    if (typeof script !== 'string' || script === '') throw configInvalid(node, 'script must be a string');
    const work = {
      filename: `${node.name}${String(ending)}`,
      source: script,
      interpreter: typeof interpreter === 'string' ? interpreter : undefined,
      captures: true,
      job: node.name,
    };
    const variables = readVariables(node, 'env', env, validateEnvName, toVariable);
    const named = readVariables(node, 'credentials', credentials, variableFault, (value) =>
      typeof value === 'string' && new RegExp(CREDENTIAL).test(value) ? value : undefined,
    );
    return {
      activity: {
        executor: SCRIPT_EXECUTOR,
        spec: { ...scriptSpec(work), env: variables, credentials: named },
        requires: [...new Set([capability, ...(Array.isArray(requires) ? requires : [])])].filter(
          (one) => typeof one === 'string',
        ),
      },
    };
  },
};

const configInvalid = ({ name }: Pick<FlowNodeContext, 'name'>, message: string) =>
  flowConfigInvalid(`node ${name}: ${message}`);

const toVariable = (value: Json): string | undefined => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\0') ? undefined : text;
};

/** Checks a rendered map of variables. */
function readVariables(
  node: Pick<FlowNodeContext, 'name'>,
  member: string,
  values: Json,
  validateName: (name: string) => string | undefined,
  read: (value: Json) => string | undefined,
): { [name: string]: string } {
  if (!isObject(values)) throw configInvalid(node, `${member} must be an object`);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const message = validateName(name);
      if (message !== undefined) throw configInvalid(node, `${member}.${name} ${message}`);
      const text = read(value);
      if (text !== undefined) return [name, text];
      throw configInvalid(node, `${member}.${name} has a value that a variable cannot have`);
    }),
  );
}
