import {
  decodeCursor,
  encodeCursor,
  Errors,
  type HttpRequest,
  limitOf,
  listRoute,
  type ListResult,
  MEMBER,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import {
  type ConnectorManifest,
  type ConnectorManifests,
  connectorSchema,
  type FileProblem,
} from '../manifests/contract.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { canExist, notFound } from '../../platform/resources/contract.ts';
import type { ConnectorActions, ConnectorCall } from './contract.ts';
import { CREDENTIAL } from './domain/names.ts';
import type { RenderAction } from './generated/render-action.ts';
import type { TestCredential } from './generated/test-credential.ts';
import problemsSchema from './schema/connector-problems.schema.json' with { type: 'json' };
import renderSchema from './schema/render-action.schema.json' with { type: 'json' };
import renderedSchema from './schema/rendered-action.schema.json' with { type: 'json' };
import testSchema from './schema/test-credential.schema.json' with { type: 'json' };
import testedSchema from './schema/credential-test.schema.json' with { type: 'json' };
import type { CredentialTests } from './service/credential-tests.ts';
import { render } from './service/render.ts';

/** Bytes of the values for an action. */
const VALUES_LIMIT = 256 * 1024;
const PATH = `${SCOPED}/connectors`;
const MAX_PROBLEMS = 50;

/** The connectors are those of the server: every project sees the same. */
export const connectorRoutes = (manifests: ConnectorManifests, actions: () => ConnectorActions): Route[] => [
  listRoute({
    path: PATH,
    operation: 'listConnectors',
    summary: "List the connectors' manifests, by name",
    access: VIEWER,
    plural: 'connectors',
    item: connectorSchema,
    members: { problems: problemsSchema },
    description: 'A page of manifests, and what is wrong with files that have changed.',
    list: async (request) => ({
      ...pageOf(manifests.all(), request),
      problems: manifests.problems().slice(0, MAX_PROBLEMS).map(problemView),
    }),
  }),
  {
    method: 'GET',
    path: `${PATH}/:connector`,
    operation: 'getConnector',
    summary: "Show a connector's manifest",
    access: VIEWER,
    responses: { 200: { description: 'The manifest.', schema: connectorSchema } },
    async handle({ params }) {
      const { connector = '' } = params;
      const manifest = manifests.find(connector);
      if (manifest === undefined) throw unknownConnector(connector);
      return { status: 200, json: manifest };
    },
  },
  {
    method: 'POST',
    path: `${PATH}/:connector/actions/:action/render`,
    operation: 'renderAction',
    summary: "Show an action's request without sending it",
    access: VIEWER,
    body: renderSchema,
    body_limit: VALUES_LIMIT,
    responses: { 200: { description: 'The request.', schema: renderedSchema } },
    async handle({ params, body }) {
      const { key, credential: named = false, ...values_given } = body as RenderAction;
      const values = { with: values_given.with ?? {}, input: values_given.input ?? {} } as Pick<
        ConnectorCall,
        'with' | 'input'
      >;
      return { status: 200, json: render(findAction(manifests, actions(), params), { ...values, key, named }) };
    },
  },
];

/** It belongs to the connectors, because their manifests say how to test a credential. */
export const credentialTestRoute = (tests: CredentialTests): Route => ({
  method: 'POST',
  path: `${SCOPED}/credentials/:credential/test`,
  operation: 'testCredential',
  summary: 'Send one harmless request with a credential, and show whether it is accepted',
  access: MEMBER,
  body: testSchema,
  body_limit: VALUES_LIMIT,
  responses: { 200: { description: 'What was found.', schema: testedSchema } },
  async handle(request) {
    const name = request.params.credential ?? '';
    if (!canExist(CREDENTIAL, name)) throw notFound(CREDENTIAL, name);
    const call = { scope: request.scope, name, by: auditSource(request) };
    return { status: 200, json: await tests.test(call, request.body as TestCredential) };
  },
});

const problemView = ({ file, pointer, message, rule, fix }: FileProblem) => ({ file, pointer, message, rule, fix });

const unknownConnector = (name: string) =>
  Errors.notFound(`this server has no connector ${name.slice(0, 128)}; \`svc connector ls\` lists its connectors`);

function findAction(manifests: ConnectorManifests, actions: ConnectorActions, params: HttpRequest['params']) {
  const { connector = '', action = '' } = params;
  const manifest = manifests.find(connector);
  if (manifest === undefined) throw unknownConnector(connector);
  const declared = actions.find(`${connector}.${action}`);
  if (declared) return declared;
  const action_names = Object.keys(manifest.actions ?? {}).join(', ') || 'none';
  throw Errors.notFound(`the connector ${connector} has no action ${action.slice(0, 128)}; it has ${action_names}`);
}

/** Pages by name, because manifests have no ids. The cursor is the last name of the previous page. */
function pageOf(all: readonly ConnectorManifest[], { query }: HttpRequest): ListResult {
  const [after] = decodeCursor(query.cursor, 'text') ?? [''];
  const remaining = all.filter(({ name }) => name > after);
  const items = remaining.slice(0, limitOf(query));
  return { items, ...(items.length < remaining.length ? { next_cursor: encodeCursor(items.at(-1)!.name) } : {}) };
}
