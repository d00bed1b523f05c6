import { documentRoute, MEMBER, type Route, SCOPED, VIEWER } from '../../../../kernel/contracts/index.ts';
import documentSchema from '../schema/run-document.schema.json' with { type: 'json' };
import inputSchema from '../schema/run-input.schema.json' with { type: 'json' };
import type { RunDocuments } from '../service/run-documents.ts';

const RUN = `${SCOPED}/runs/:run`;

/** Those who may see a stored graph or a handler may see its document. The input of a run is for members, as in a history. */
export const documentRoutes = (documents: RunDocuments): Route[] => [
  documentRoute({
    method: 'GET',
    path: `${RUN}/document`,
    operation: 'getRunDocument',
    summary: "Show a run's document",
    access: VIEWER,
    responses: { 200: { description: 'The document.', schema: documentSchema } },
    handle: async ({ scope, params }) => ({ status: 200, json: await documents.document(scope, params.run!) }),
  }),
  documentRoute({
    method: 'GET',
    path: `${RUN}/input`,
    operation: 'getRunInput',
    summary: "Show a run's input",
    access: MEMBER,
    responses: { 200: { description: 'The input, or the event that started the run.', schema: inputSchema } },
    handle: async ({ scope, params }) => ({ status: 200, json: await documents.input(scope, params.run!) }),
  }),
];
