import t from 'tap';
import type { JsonSchema, Route } from '../../../kernel/contracts/index.ts';
import { compile } from '../schema/contract.ts';
import { openapi, pathTemplate } from './openapi.ts';
import { ask, assemble, route } from './testing/test-server.ts';

const THING: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Thing',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { $ref: '#/$defs/name' } },
  $defs: { name: { type: 'string', minLength: 1 } },
};

const ROUTES: Route[] = [
  route({
    path: '/api/v1/orgs/:org/things',
    operation: 'listThings',
    access: { kind: 'org', role: 'member' },
    query: {
      type: 'object',
      required: ['tag'],
      properties: { tag: { type: 'string', description: 'A tag.' }, limit: { type: 'integer', minimum: 1 } },
    },
    responses: { 200: { description: 'Things.', schema: { type: 'array', items: { type: 'string' } } } },
  }),
  route({
    path: '/api/v1/orgs/:org/things/:thing',
    method: 'PUT',
    operation: 'putThing',
    access: { kind: 'project', role: 'admin' },
    body: THING,
    responses: { 201: { description: 'Made.', schema: THING }, 200: { description: 'Replaced.', schema: THING } },
  }),
  route({
    path: '/api/v1/orgs/:org/things/:thing',
    method: 'DELETE',
    operation: 'deleteThing',
    access: { kind: 'user' },
    responses: { 204: { description: 'Gone.' } },
  }),
  route({
    path: '/api/v1/hooks/:hook',
    method: 'POST',
    operation: 'deliver',
    raw_body: true,
    responses: { 202: { description: 'Taken.' }, 413: { description: 'Too large for a hook.' } },
  }),
  route({
    path: '/files/*',
    operation: 'getFile',
    access: { kind: 'agent' },
    responses: { 200: { description: 'Bytes.', type: 'application/octet-stream' } },
  }),
  route({
    path: '/other',
    method: 'POST',
    operation: 'other',
    body: { title: 'Thing', type: 'object', additionalProperties: false },
  }),
];

/** The parts of OpenAPI 3.1 that this service uses; strict, so that a misplaced member fails. */
const CONTENT = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: false, properties: { schema: { type: 'object' } } },
};
const REFERENCE = {
  type: 'object',
  additionalProperties: false,
  required: ['$ref'],
  properties: { $ref: { type: 'string', pattern: '^#/components/' } },
};
const RESPONSE = {
  type: 'object',
  additionalProperties: false,
  required: ['description'],
  properties: { description: { type: 'string', minLength: 1 }, content: CONTENT },
};
const PARAMETER = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'in', 'required', 'schema'],
  properties: {
    name: { type: 'string' },
    in: { enum: ['path', 'query'] },
    required: { type: 'boolean' },
    description: { type: 'string' },
    schema: { type: 'object' },
  },
};
const OPERATION = {
  type: 'object',
  additionalProperties: false,
  required: ['operationId', 'summary', 'security', 'responses'],
  properties: {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
    summary: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    security: { type: 'array', items: { type: 'object' } },
    parameters: { type: 'array', items: PARAMETER },
    requestBody: {
      type: 'object',
      additionalProperties: false,
      required: ['content'],
      properties: { required: { type: 'boolean' }, content: CONTENT },
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^([1-5]\\d\\d|default)$' },
      additionalProperties: { oneOf: [REFERENCE, RESPONSE] },
    },
    'x-svc-access': { type: 'object' },
  },
};
const DOCUMENT = {
  type: 'object',
  additionalProperties: false,
  required: ['openapi', 'info', 'paths', 'components'],
  properties: {
    openapi: { const: '3.1.0' },
    info: {
      type: 'object',
      additionalProperties: false,
      required: ['title', 'version'],
      properties: { title: { type: 'string' }, version: { type: 'string' }, description: { type: 'string' } },
    },
    jsonSchemaDialect: { type: 'string', format: 'uri' },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'put', 'post', 'delete'] },
        additionalProperties: OPERATION,
      },
    },
    components: {
      type: 'object',
      additionalProperties: false,
      properties: {
        securitySchemes: { type: 'object', additionalProperties: { type: 'object', required: ['type'] } },
        responses: { type: 'object', additionalProperties: RESPONSE },
        schemas: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z0-9._-]+$' },
          additionalProperties: { type: 'object' },
        },
      },
    },
  },
};

type Operation = {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  security: Record<string, unknown>[];
  responses: Record<string, unknown>;
  requestBody?: { required?: boolean };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, unknown> };
};

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === '$ref' ? [String(member)] : references(member)));
}

function resolve(document: unknown, reference: string): unknown {
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document);
}

t.test('every registered route is in the document, which has the right shape', async (t) => {
  const { http } = assemble({ routes: ROUTES });
  await http.listen();
  t.teardown(() => http.close(0));
  const answer = await ask(http.base_url(), '/api/v1/openapi.json');
  const document = answer.json as unknown as Document;
  t.same(compile(DOCUMENT)(document), []);
  const own = ['/healthz', '/readyz', '/metrics', '/api/v1/openapi.json'].map((path) => route({ path }));
  for (const { method, path, operation } of [...ROUTES, ...own]) {
    const { template, names } = pathTemplate(path);
    const found = document.paths[template]?.[method.toLowerCase()];
    t.ok(found, `${method} ${path}`);
    if (ROUTES.some((known) => known.operation === operation)) t.equal(found?.operationId, operation);
    t.same(
      found?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      names,
    );
    t.ok(found?.responses.default, 'problems are described');
    for (const requirement of found?.security ?? [])
      for (const scheme of Object.keys(requirement)) t.ok(document.components.securitySchemes[scheme], scheme);
  }
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  t.equal(new Set(ids).size, ids.length, 'operations are named once');
  for (const reference of references(document)) t.ok(resolve(document, reference), reference);
});

t.test('schemas are shared by title, moved with their definitions, and never confused', async (t) => {
  const document = openapi(ROUTES, '1.2.3') as unknown as Document;
  const { schemas } = document.components;
  t.same(schemas.Thing, {
    title: 'Thing',
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: { name: { $ref: '#/components/schemas/Thing/$defs/name' } },
    $defs: { name: { type: 'string', minLength: 1 } },
  });
  t.same(
    schemas.OtherBody,
    { title: 'Thing', type: 'object', additionalProperties: false },
    'another schema of that title',
  );
  const put = document.paths['/api/v1/orgs/{org}/things/{thing}']!.put!;
  t.match(put, {
    security: [{ user: [] }, { session: [] }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
    },
    'x-svc-access': { kind: 'project', role: 'admin' },
  });
  t.same(Object.keys(put.responses), ['200', '201', '400', '401', '403', '404', '413', '415', 'default']);
  t.match(document.paths['/api/v1/orgs/{org}/things']!.get!.parameters, [
    { name: 'org', in: 'path', required: true },
    { name: 'tag', in: 'query', required: true, description: 'A tag.' },
    { name: 'limit', in: 'query', required: false },
  ]);
  t.match(document.paths['/files/{path}']!.get!.security, [{ agent: [] }]);
  t.match(document.paths['/api/v1/hooks/{hook}']!.post!.responses['413'], { description: 'Too large for a hook.' });
  t.same(document.paths['/api/v1/hooks/{hook}']!.post!.security, []);
});

t.test('a definition with a title is one schema for all that refer to it', (t) => {
  const part = { title: 'Part', type: 'object', properties: { name: { type: 'string' } } };
  const body = (title: string) => ({ title, type: 'object', allOf: [{ $ref: '#/$defs/part' }], $defs: { part } });
  const routes = ['One', 'Two'].map((title) =>
    route({ path: `/${title}`, method: 'POST', operation: `post${title}`, body: body(title) }),
  );
  const { schemas } = openapi(routes, '1').components as { schemas: Record<string, unknown> };
  t.same(schemas.Part, part);
  for (const title of ['One', 'Two'])
    t.match(schemas[title], { allOf: [{ $ref: '#/components/schemas/Part' }], $defs: {} });
  t.end();
});

t.test('a definition with a title takes along what it refers to, and may refer to itself and to others', (t) => {
  const $defs = {
    name: { type: 'string' },
    tree: {
      title: 'Tree',
      type: 'object',
      properties: { leaf: { $ref: '#/$defs/leaf' }, more: { $ref: '#/$defs/tree' } },
    },
    leaf: {
      title: 'Leaf',
      type: 'object',
      properties: { name: { $ref: '#/$defs/name' }, of: { $ref: '#/$defs/tree' } },
    },
  };
  const body = { title: 'Wood', type: 'object', properties: { tree: { $ref: '#/$defs/tree' } }, $defs };
  const document = openapi(
    [route({ path: '/wood', method: 'POST', operation: 'postWood', body })],
    '1',
  ) as unknown as Document;
  for (const reference of references(document)) t.ok(resolve(document, reference), reference);
  t.match(document.components.schemas, {
    Wood: { properties: { tree: { $ref: '#/components/schemas/Tree' } } },
    Tree: { properties: { leaf: { $ref: '#/components/schemas/Leaf' }, more: { $ref: '#/components/schemas/Tree' } } },
    Leaf: {
      properties: { name: { $ref: '#/components/schemas/Leaf/$defs/name' }, of: { $ref: '#/components/schemas/Tree' } },
    },
  });
  t.same(
    Object.keys(document.components.schemas).filter((name) => /\./.test(name)),
    [],
    'none is there twice',
  );
  t.end();
});
