import { type FlowNodeType, flowConfigInvalid } from '../../../engine/flows/contract.ts';
import { REPO_FILE_NODE } from '../../../integrations/forges/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { CALL_WAIT } from '../../../execution/children/contract.ts';
import type { GraphNodeType, NodeConfig } from '../contract.ts';
import { graphReference } from '../domain/names.ts';
import { readExpr, isObject } from '../domain/values.ts';
import { validateLiterals } from './literals.ts';

const FLOW_TYPE = 'graph.workflow';
const FORMS = ['graph', 'source', 'from_repo'] as const;
const TEXT = { type: 'string', minLength: 1 };
const CREDENTIAL = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';

/** Runs another workflow as a run of its own and waits for it. */
export const workflow: GraphNodeType = {
  type: 'workflow',
  title: 'Another workflow, as a separate run',
  config: {
    type: 'object',
    properties: {
      graph: { ...TEXT, description: 'A stored graph: its latest version, or `name@version`.' },
      source: { ...TEXT, description: 'The document itself.' },
      from_repo: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'repo', 'credential'],
        properties: {
          path: { ...TEXT, maxLength: 1024, description: 'Path of the document in the repository.' },
          repo: { ...TEXT, maxLength: 255, description: "The repository's name at the forge: `acme/web`." },
          credential: {
            type: 'string',
            pattern: CREDENTIAL,
            description: 'Name of the credential for reading the file.',
          },
          ref: { ...TEXT, maxLength: 255, description: 'Branch, tag or commit. Default: the default branch.' },
          forge: {
            ...TEXT,
            maxLength: 63,
            description: "The connector. Default: the connector of the repository's webhook.",
          },
          api_base: {
            ...TEXT,
            maxLength: 1024,
            description:
              'API address of the forge, if the forge has no default host or the repository is on a different host.',
          },
        },
        description: 'The document is read when the node starts.',
      },
      filename: { ...TEXT, maxLength: 255, description: 'With `source`: the file extension determines the kind.' },
      kind: {
        enum: ['script', 'pipeline', 'graph'],
        description: 'Kind of the document, if the file extension does not determine it.',
      },
      input: { description: 'Any JSON: the input of the run.' },
    },
  },
  faults: (config) => [...validateForm(config), ...validateLiterals(config, ['kind'])],
  credentials({ from_repo }) {
    const name = isObject(from_repo) ? from_repo.credential : undefined;
    return typeof name === 'string' ? [{ name, kinds: ['bearer', 'basic'], pointer: '/from_repo/credential' }] : [];
  },
  before: ({ from_repo }) =>
    from_repo === undefined ? undefined : { type: REPO_FILE_NODE, config: isObject(from_repo) ? { ...from_repo } : {} },
  lower({ from_repo, ...config }, before) {
    if (!isObject(from_repo)) return { type: FLOW_TYPE, config };
    const path = readExpr(from_repo.path);
    const filename = path === undefined ? (from_repo.path ?? null) : { $expr: path };
    const read = { source: { $expr: `${before}.output` }, failure: { $expr: `${before}.error` } };
    return { type: FLOW_TYPE, config: { ...config, ...read, filename } };
  },
};

function validateForm(config: NodeConfig) {
  const [form, another] = FORMS.filter((member) => config[member] !== undefined);
  if (form === undefined) return [{ pointer: '', message: `needs one of ${FORMS.join(', ')}` }];
  if (another !== undefined)
    return [{ pointer: `/${another}`, message: `cannot be combined with ${form}; use one of them` }];
  const { graph, from_repo } = config;
  if (typeof graph === 'string' && !graphReference(graph))
    return [{ pointer: '/graph', message: 'must be the name of a graph, or name@version' }];
  if (readExpr(from_repo) !== undefined)
    return [{ pointer: '/from_repo', message: 'must be a literal object; only its members can be computed' }];
  const strange = form === 'graph' ? ['filename', 'kind'] : form === 'from_repo' ? ['filename'] : [];
  return strange
    .filter((member) => config[member] !== undefined)
    .map((member) => ({ pointer: `/${member}`, message: `cannot be combined with ${form}` }));
}

const readText = (node: string, member: string, value: Json | undefined): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw flowConfigInvalid(`node ${node}: ${member} must be a string`);
};

/** The called run is cancelled when its caller stops waiting for it. */
export const workflowFlowNode: FlowNodeType = {
  type: FLOW_TYPE,
  begin(_tx, { name, config: { input = null, failure = null, source, ...rest }, timeout_ms }) {
    if (failure !== null)
      throw flowConfigInvalid(`node ${name}: the document could not be read: ${failureMessage(failure)}`);
    const texts = Object.entries(rest).map(([member, value]) => [member, readText(name, member, value)] as const);
    const args: { [member: string]: Json } = { ...Object.fromEntries(texts), input };
    // A document that another node read was perhaps parsed.
    if (source !== undefined)
      args.source = isObject(source) ? JSON.stringify(source) : readText(name, 'source', source);
    return { wait: { kind: CALL_WAIT, name: String(rest.graph ?? rest.filename ?? name), args, timeout_ms } };
  },
};

const failureMessage = (failure: Json): string =>
  isObject(failure) ? String(failure.message) : JSON.stringify(failure);
