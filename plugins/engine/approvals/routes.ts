import {
  type AccessControl,
  callerOf,
  Errors,
  type HttpReply,
  type HttpRequest,
  iso,
  isServiceError,
  MEMBER,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { approverOf, checkRunId } from '../runs/contract.ts';
import type { CreateAnswerLink } from './generated/create-answer-link.ts';
import { answerOf } from './page/fields.ts';
import { endPage, questionPage } from './page/page.ts';
import linkSchema from './schema/answer-link.schema.json' with { type: 'json' };
import createSchema from './schema/create-answer-link.schema.json' with { type: 'json' };
import questionSchema from './schema/question.schema.json' with { type: 'json' };
import type { AnswerLinks, OpenLink } from './service/answer-links.ts';
import type { Questions } from './service/questions.ts';

export interface ApprovalRoutesDeps {
  questions: Questions;
  links: AnswerLinks;
  access: Pick<AccessControl, 'authorize'>;
}

/** The most that a form sends. */
const FORM_BYTES = 256 * 1024;

const runOf = ({ scope: { org_id, project_id }, params }: HttpRequest) => ({
  org_id,
  project_id,
  run_id: checkRunId(params.run),
});

export const approvalRoutes = (deps: ApprovalRoutesDeps): Route[] => [
  questionsRoute(deps),
  createLinkRoute(deps),
  ...pageRoutes(deps),
];

const questionsRoute = ({ questions, access }: ApprovalRoutesDeps): Route => ({
  method: 'GET',
  path: `${SCOPED}/runs/:run/questions`,
  operation: 'listQuestions',
  summary: 'List the questions that a run asks people',
  access: VIEWER,
  responses: {
    200: {
      description: 'Open waits for signals that have a form, approvers or a message, oldest first; at most 100.',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['questions'],
        properties: { questions: { type: 'array', items: questionSchema } },
      },
    },
  },
  async handle(request) {
    return { status: 200, json: { questions: await questions.list(runOf(request), approverOf(request, access)) } };
  },
});

const createLinkRoute = ({ links, access }: ApprovalRoutesDeps): Route => ({
  method: 'POST',
  path: `${SCOPED}/runs/:run/signals/:name/links`,
  operation: 'createAnswerLink',
  summary: 'Create a link that lets a person without an account answer once',
  access: MEMBER,
  body: createSchema,
  responses: {
    201: { description: 'The link. It works until the wait ends or the link expires.', schema: linkSchema },
  },
  async handle(request) {
    const input = (request.body ?? {}) as CreateAnswerLink;
    const caller = {
      principal: callerOf(request),
      approver: approverOf(request, access),
      by: auditSource(request),
    };
    return { status: 201, json: await links.create(runOf(request), request.params.name!, input, caller) };
  },
});

const PAGE = '/answer/:link';
const HTML = 'text/html';

const pageRoutes = ({ links }: ApprovalRoutesDeps): Route[] => [
  {
    method: 'GET',
    path: PAGE,
    operation: 'showAnswerLink',
    summary: 'Show the page of a link, without using up the link',
    access: { kind: 'public' },
    responses: { 200: { description: 'The question, with its form.', type: HTML } },
    handle: (request) => orEndPage(async () => questionPage(viewOf(await links.open(request.params.link!)))),
  },
  {
    method: 'POST',
    path: PAGE,
    operation: 'useAnswerLink',
    summary: 'Answer with a link',
    access: { kind: 'public' },
    raw_body: true,
    body_limit: FORM_BYTES,
    responses: { 200: { description: 'The answer is recorded.', type: HTML } },
    handle: (request) => orEndPage(() => answer(links, request)),
  },
];

async function answer(links: AnswerLinks, request: HttpRequest): Promise<HttpReply> {
  const link = await links.open(request.params.link!);
  const sent = new URLSearchParams(request.raw.toString());
  const decision = sent.get('decision');
  if (decision !== 'approve' && decision !== 'reject')
    throw Errors.invalidRequest("the form's decision must be approve or reject");
  const { form } = link.question.terms;
  const reason = sent.get('reason')?.trim().slice(0, 500);
  const rejected = decision === 'reject' ? { reason: reason === '' ? undefined : reason } : undefined;
  const payload = form === undefined ? { approved: true } : answerOf(form, sent);
  try {
    await links.answer(link, { payload, rejected }, request);
  } catch (error) {
    if (!isServiceError(error, 'signal_invalid')) throw error;
    return questionPage({
      ...viewOf(link),
      sent,
      errors: error.extras.errors ?? [{ pointer: '', message: error.message }],
    });
  }
  return endPage(200, decision === 'approve' ? 'Approved' : 'Rejected', [
    'Your answer is recorded. You can close this page.',
  ]);
}

const viewOf = ({ run, question, content }: OpenLink) => ({
  terms: question.terms,
  by: content.user,
  run_id: run.run_id,
  expires_at: iso(content.expires_at),
});

/** People see a page also when a link is of no use. */
async function orEndPage(work: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await work();
  } catch (error) {
    if (!isServiceError(error) || error.status >= 500) throw error;
    return endPage(error.status, error.definition.title, [`Because ${error.message}.`, error.next]);
  }
}
