import { type Expressions, MEMBER, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import type { EvaluateExpression } from './generated/evaluate-expression.ts';
import type { DocumentRequirementsBody } from './generated/required-by-document.ts';
import evaluate from './schema/evaluate-expression.schema.json' with { type: 'json' };
import evaluated from './schema/evaluated-expression.schema.json' with { type: 'json' };
import requirements from './schema/graph-requirements.schema.json' with { type: 'json' };
import document from './schema/required-by-document.schema.json' with { type: 'json' };
import { evaluateExpression } from './service/evaluate.ts';
import type { Requirements } from './service/requirements.ts';

/** Bytes of an expression with its values. */
const VALUES_LIMIT = 1024 * 1024;
const DOCUMENT_LIMIT = 2 * 1024 * 1024;

/** Routes with which editors check what is not saved yet. They store nothing and start nothing. */
export const editorRoutes = (expressions: () => Expressions, report: Requirements): Route[] => [
  {
    method: 'POST',
    path: `${SCOPED}/expressions/evaluate`,
    operation: 'evaluateExpression',
    summary: 'Evaluate a graph expression with the values in the request',
    access: MEMBER,
    body: evaluate,
    body_limit: VALUES_LIMIT,
    responses: { 200: { description: 'The value, or the reason for its absence.', schema: evaluated } },
    handle: async ({ body }) => ({
      status: 200,
      json: evaluateExpression(expressions(), body as EvaluateExpression),
    }),
  },
  {
    method: 'POST',
    path: `${SCOPED}/graph-requirements`,
    operation: 'getDocumentRequirements',
    summary: "Report whether an unsaved graph's requirements are met",
    access: VIEWER,
    body: document,
    body_limit: DOCUMENT_LIMIT,
    responses: { 200: { description: 'The report, whether the graph is ready or not.', schema: requirements } },
    handle: async ({ scope, body }) => ({
      status: 200,
      json: await report.reportDocument(scope, (body as DocumentRequirementsBody).document),
    }),
  },
];
