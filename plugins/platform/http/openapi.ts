import type { Access, JsonSchema, Route } from '../../../kernel/contracts/index.ts';
import { SchemaRegistry } from './openapi-schemas.ts';

const PROBLEM: JsonSchema = {
  title: 'Problem',
  description: 'RFC 9457. `code` is stable; `next` explains what to do.',
  type: 'object',
  additionalProperties: true,
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string', description: '`urn:svc:problem:<code>`.' },
    title: { type: 'string', description: 'The same for every occurrence of the code.' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened this time.' },
    code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
    next: { type: 'string', description: 'What the caller can do.' },
    docs: { type: 'string', description: 'The page that explains the code, as a path on this server.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pointer', 'message'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer into the body; `/query/…` for the query and `/path/…` for the path.',
          },
          message: { type: 'string' },
        },
      },
    },
  },
};

const SECURITY_SCHEMES = {
  user: { type: 'http', scheme: 'bearer', description: 'A token for a person or CI: `svc_pat_…`.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_session',
    description:
      "A browser's session (`__Host-svc_session` if the service has an https address). Requests other than GET " +
      'and HEAD also need its CSRF token in the `X-SVC-CSRF` header.',
  },
  agent: { type: 'http', scheme: 'bearer', description: 'A token for an agent: `svc_agt_…`.' },
};

/** Either of these is enough. */
const PEOPLE = [{ user: [] }, { session: [] }];
const SECURITY: Record<Access['kind'], object[]> = {
  public: [],
  agent: [{ agent: [] }],
  user: PEOPLE,
  org: PEOPLE,
  project: PEOPLE,
};

const PROBLEM_RESPONSES: Record<string, string> = {
  400: 'The request is not valid.',
  401: 'No valid credentials.',
  403: 'The role is too low.',
  404: 'The resource does not exist, or the caller has no access to it.',
  413: 'The body is too large.',
  415: 'The path does not accept a body of this type.',
};

/** Converts `/runs/:run` to `/runs/{run}` and returns its parameter names. A final `*` becomes `{path}`. */
export function pathTemplate(path: string): { template: string; names: string[] } {
  const names: string[] = [];
  const template = path.replace(/:([A-Za-z0-9_]+)|\*/g, (_, name: string | undefined) => {
    names.push(name ?? 'path');
    return `{${name ?? 'path'}}`;
  });
  return { template, names };
}

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

function describeAccess(access: Access): string {
  if (access.kind === 'org' || access.kind === 'project') return `${access.kind} role \`${access.role}\` or higher`;
  return { public: 'no authentication', user: 'a valid token of a person', agent: "an agent's token" }[access.kind];
}

function parameters(route: Route, names: readonly string[], registry: SchemaRegistry): object[] {
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', minLength: 1 } }));
  const members = (route.query?.properties ?? {}) as Record<string, JsonSchema>;
  const required = (route.query?.required ?? []) as readonly string[];
  const inQuery = Object.entries(members).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: schema.description,
    schema: registry.inline(schema),
  }));
  const inHeaders = Object.entries(route.headers ?? {}).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeaders];
}

function requestBody(route: Route, registry: SchemaRegistry): object | undefined {
  if (route.raw_body || route.stream_body) return { content: { '*/*': {} } };
  if (!route.body) return undefined;
  const required = Array.isArray(route.body.required) && route.body.required.length > 0;
  return {
    required,
    content: { 'application/json': { schema: registry.register(route.body, `${capital(route.operation)}Body`) } },
  };
}

function responses(route: Route, registry: SchemaRegistry): object {
  const answers = Object.entries(route.responses).map(([status, { description, schema, type }]) => {
    const name = `${capital(route.operation)}${status}`;
    const content = schema
      ? { [type ?? 'application/json']: { schema: registry.register(schema, name) } }
      : type === undefined
        ? undefined
        : { [type]: {} };
    return [status, { description, ...(content ? { content } : {}) }] as const;
  });
  const accepts_body = route.body !== undefined || route.raw_body === true || route.stream_body === true;
  const excluded = [...(accepts_body ? [] : ['413', '415']), ...(route.access.kind === 'public' ? ['401', '403'] : [])];
  const problems = Object.keys(PROBLEM_RESPONSES)
    .filter((status) => !excluded.includes(status) && !(Number(status) in route.responses))
    .map((status) => [status, { $ref: `#/components/responses/Problem${status}` }] as const);
  return Object.fromEntries([...answers, ...problems, ['default', { $ref: '#/components/responses/Problem' }]]);
}

function operation(route: Route, names: readonly string[], registry: SchemaRegistry): object {
  const { access } = route;
  const body = requestBody(route, registry);
  return {
    operationId: route.operation,
    summary: route.summary,
    description: `Requires ${describeAccess(access)}.`,
    security: SECURITY[access.kind],
    parameters: parameters(route, names, registry),
    ...(body ? { requestBody: body } : {}),
    responses: responses(route, registry),
    'x-svc-access': access,
  };
}

function problemResponses(registry: SchemaRegistry): object {
  const content = { 'application/problem+json': { schema: registry.register(PROBLEM, 'Problem') } };
  const named = Object.entries(PROBLEM_RESPONSES).map(([status, description]) => [
    `Problem${status}`,
    { description, content },
  ]);
  return { Problem: { description: 'Any other failure.', content }, ...Object.fromEntries(named) };
}

/** Builds the OpenAPI 3.1 document of these routes from the schemas that validate requests. */
export function openapi(routes: readonly Route[], version: string): Record<string, unknown> {
  const registry = new SchemaRegistry();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const { template, names } = pathTemplate(route.path);
    paths[template] ??= {};
    paths[template][route.method.toLowerCase()] = operation(route, names, registry);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version, description: 'Durable workflows in any language.' },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      responses: problemResponses(registry),
      schemas: registry.schemas,
    },
  };
}

/** The route `GET /api/v1/openapi.json`, which describes itself too. */
export function openapiRoute(others: readonly Route[], version: string): Route {
  let text: string | undefined;
  const route: Route = {
    method: 'GET',
    path: '/api/v1/openapi.json',
    operation: 'getOpenapi',
    summary: 'This API as an OpenAPI 3.1 document',
    access: { kind: 'public' },
    responses: { 200: { description: 'The document.', type: 'application/json' } },
    async handle() {
      text ??= JSON.stringify(openapi([...others, route], version));
      return { status: 200, text, type: 'application/json' };
    },
  };
  return route;
}
