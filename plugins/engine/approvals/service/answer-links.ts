import {
  type Database,
  Errors,
  type HttpAddress,
  iso,
  isServiceError,
  parseDuration,
  type Principal,
  type SealContext,
  type Sealer,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { Members, Scopes } from '../../../security/access/contract.ts';
import {
  type ActivityScope,
  type Approver,
  approverRequired,
  describeApprovers,
  type Json,
  mayAnswer,
  noQuestion,
  type OpenQuestion,
  type RunStore,
} from '../../runs/contract.ts';
import { linkEnded, linkNotFound, linkNotOffered } from '../errors.ts';
import type { AnswerLink } from '../generated/answer-link.ts';
import type { CreateAnswerLink } from '../generated/create-answer-link.ts';
import type { Questions } from './questions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_EXPIRY_MS = 30 * DAY_MS;
const MAX_TOKEN_LENGTH = 2048;

/** What a link says. It is sealed, so that nobody can read or change it, and the server stores nothing. */
interface LinkContent {
  activity_id: string;
  position: number;
  /** The name of the signal. */
  name: string;
  /** The person who created the link, and whose rights it uses. */
  user_id: string;
  user: string;
  token_id: string;
  /** Who got it. */
  receiver: string | null;
  expires_at: number;
}

export interface OpenLink {
  run: ActivityScope;
  question: OpenQuestion;
  content: LinkContent;
}

export interface AnswerLinksDeps {
  database: Pick<Database, 'now' | 'transaction'>;
  sealer: Sealer;
  audit: Audit;
  scopes: Pick<Scopes, 'names'>;
  members: Pick<Members, 'rolesOf'>;
  address: HttpAddress;
  store: Pick<RunStore, 'sendSignal'>;
  questions: Pick<Questions, 'open'>;
}

const contextOf = ({ org_id, project_id, run_id }: ActivityScope): SealContext => ({
  ...{ org_id, project_id },
  table: 'answer-links',
  kind: 'approvals',
  name: run_id,
  field: 'link',
});

/**
 * Links with which somebody without an account answers one wait. Only a person who may answer it can create one. A link
 * ends with its wait, so that it answers once, and nothing but a confirmed form answers: a mail scanner that opens it
 * uses nothing up.
 */
export class AnswerLinks {
  readonly #deps: AnswerLinksDeps;

  constructor(deps: AnswerLinksDeps) {
    this.#deps = deps;
  }

  /** Throws `no_question`, `approver_required`, `duration_invalid` and `answer_link_not_offered`. */
  async create(
    run: ActivityScope,
    name: string,
    input: CreateAnswerLink,
    caller: { principal: Principal; approver: Approver; by: AuditSource },
  ): Promise<AnswerLink> {
    const { database, sealer, audit, address, questions } = this.#deps;
    const base = address.public_url() ?? address.base_url();
    if (!/^https?:/.test(base)) throw linkNotOffered('this server listens only on a local socket');
    const question = (await questions.open(run)).find((one) => one.name === name);
    if (!question) throw noQuestion(`run ${run.run_id} has no question with the signal ${name}`);
    if (!(await mayAnswer(caller.approver, question.terms)))
      throw approverRequired(
        `${caller.approver.name} cannot answer this wait; these users and roles can: ${describeApprovers(question.terms.approvers)}`,
      );
    const content: LinkContent = {
      ...{ activity_id: question.activity_id, position: question.position, name },
      ...{ user_id: caller.principal.id, user: caller.principal.name, token_id: caller.principal.token_id },
      receiver: input.for ?? null,
      expires_at: database.now() + readExpiry(input.expires_in),
    };
    await sealer.prepare(run.org_id);
    const sealed = sealer.seal(contextOf(run), Buffer.from(JSON.stringify(content))).toString('base64url');
    const ids = Buffer.from(`${run.org_id} ${run.project_id} ${run.run_id}`).toString('base64url');
    const detail = content.receiver === null ? name : `${name}, for ${content.receiver}`;
    const { org_id, project_id, run_id } = run;
    await database.transaction((tx) =>
      audit.record(tx, { ...caller.by, org_id, project_id, action: 'run.answer_link', subject: run_id, detail }),
    );
    const url = `${base.replace(/\/$/, '')}/answer/${ids}.${sealed}`;
    return { url, expires_at: iso(content.expires_at) };
  }

  /** Throws `answer_link_invalid` and `answer_link_ended`. */
  async open(token: string): Promise<OpenLink> {
    const { database, scopes, questions } = this.#deps;
    const run = readRun(token);
    try {
      // Before its keys are loaded: a text that somebody made up must not create keys.
      await scopes.names(run.org_id, run.project_id);
      const open = await questions.open(run);
      const content = await this.#unseal(run, token);
      if (content.expires_at <= database.now()) throw linkEnded('it has expired');
      const question = open.find(
        ({ activity_id, position }) => activity_id === content.activity_id && position === content.position,
      );
      if (!question) throw linkEnded('the question has been answered, or the run no longer asks it');
      return { run, question, content };
    } catch (error) {
      if (isServiceError(error, 'not_found') || isServiceError(error, 'sealed_value_unreadable'))
        throw linkNotFound('it was changed or truncated, or never existed');
      throw error;
    }
  }

  /** Answers the wait of a link. Throws as `open`, and `approver_required` and `signal_invalid`. */
  async answer(
    { run, content }: OpenLink,
    answer: { payload: Json; rejected?: { reason: string | undefined } | undefined },
    { request_id, ip }: Pick<AuditSource, 'request_id' | 'ip'>,
  ): Promise<void> {
    const { store } = this.#deps;
    const { activity_id, position, name, user_id, user, token_id } = content;
    const approver = this.#creator(run, content);
    // Somebody who may no longer send signals has no valid links either.
    if (!(await approver.holds('member'))) throw linkEnded(`${user} can no longer answer in this project`);
    const principal = { kind: 'user' as const, id: user_id, name: user, token_id, org_id: run.org_id };
    try {
      await store.sendSignal({
        ...run,
        ...{ name, payload: answer.payload, approver },
        ...(answer.rejected && { rejected: answer.rejected }),
        only: { activity_id, position },
        by: { principal, request_id, ip },
      });
    } catch (error) {
      if (isServiceError(error, 'no_question') || isServiceError(error, 'run_finished'))
        throw linkEnded('the question has been answered, or the run no longer asks it');
      throw error;
    }
  }

  /** The roles that the creator of a link has now. */
  #creator({ org_id, project_id }: ActivityScope, { user_id, user, receiver }: LinkContent): Approver {
    const { members } = this.#deps;
    return {
      name: user,
      recorded: receiver === null ? `a link created by ${user}` : `${receiver} (link created by ${user})`,
      async holds(role) {
        const roles = await members.rolesOf(user_id);
        const inOrg = roles.some((one) => one.org_id === org_id && one.project_id === null && one.role === 'owner');
        if (inOrg || role === 'owner') return inOrg;
        const project_role = roles.find((one) => one.org_id === org_id && one.project_id === project_id)?.role;
        return project_role === 'admin' || (project_role === 'member' && role === 'member');
      },
    };
  }

  async #unseal(run: ActivityScope, token: string): Promise<LinkContent> {
    const { sealer } = this.#deps;
    await sealer.prepare(run.org_id);
    const sealed = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
    return JSON.parse(sealer.open(contextOf(run), sealed).toString()) as LinkContent;
  }
}

function readExpiry(text: string | undefined): number {
  const expiry = text === undefined ? DAY_MS : parseDuration(text);
  if (expiry > 0 && expiry <= MAX_EXPIRY_MS) return expiry;
  const message = 'must be longer than 0 and at most 30d';
  throw Errors.invalidRequest(`expires_in ${message}`, { errors: [{ pointer: '/expires_in', message }] });
}

const RUN_IDS = /^(org_\w{1,60}) (prj_\w{1,60}) (run_\w{1,60})$/;

function readRun(token: string): ActivityScope {
  const [, org_id, project_id, run_id] =
    token.length <= MAX_TOKEN_LENGTH
      ? (RUN_IDS.exec(Buffer.from(token.split('.', 1)[0]!, 'base64url').toString()) ?? [])
      : [];
  if (org_id === undefined || project_id === undefined || run_id === undefined)
    throw linkNotFound('it was changed or truncated, or never existed');
  return { org_id, project_id, run_id };
}
