import type { Fault, JsonSchema } from '../../../../kernel/contracts/index.ts';
import { expandShape, readShape } from '../../../platform/schema/contract.ts';
import { type ApproverRole, APPROVER_ROLES, isRole } from './approver-names.ts';
import type { Json } from './run.ts';

/** What a wait for a signal asks of the person who answers it. It is sealed with the arguments of the wait. */
export interface SignalTerms {
  /** The payload must fit this schema. */
  form?: JsonSchema;
  /** Who may answer: names of users, and roles that such a person has at least. Absent: every member of the project. */
  approvers?: string[];
  /** What is asked. */
  message?: string;
  /** The wait returns who has answered and when, around the payload. */
  envelope?: true;
}

/** A person who answers a wait. */
export interface Approver {
  /** The name of the user. */
  name: string;
  /** As the answer records the person; absent: by name. Somebody who has only a link is nobody's user. */
  recorded?: string;
  /** Whether the person has this role, or a higher one, in the project or its org. */
  holds(role: ApproverRole): Promise<boolean>;
}

/** The exit code of a wait that somebody rejected. */
export const REJECTED_EXIT_CODE = 125;

/** A larger schema takes the event loop too long to compile. */
const MAX_FORM_BYTES = 4096;
const MAX_APPROVERS = 20;
const MAX_MESSAGE_POINTS = 2000;
const USER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** A wait that asks a person takes no signal from before it began: nobody can have read what it asks. */
export const needsPerson = ({ form, approvers, message }: SignalTerms): boolean =>
  form !== undefined || approvers !== undefined || message !== undefined;

/** The terms that stand in the arguments of a wait. */
export function termsOf(args: Json): SignalTerms {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return {};
  const { form, approvers, message, envelope } = args;
  return {
    ...(form !== undefined && form !== null && { form: form as JsonSchema }),
    ...(Array.isArray(approvers) && { approvers: approvers as string[] }),
    ...(typeof message === 'string' && { message }),
    ...(envelope === true && { envelope }),
  };
}

/** Terms as somebody wrote them, in a document or as options of a verb. */
export interface WrittenTerms {
  form?: unknown;
  approvers?: unknown;
  message?: unknown;
  envelope?: unknown;
}

/** The terms of a wait with its short forms written out, or what is wrong with them, by pointers to its members. */
export function readTerms({ form, approvers, message, envelope }: WrittenTerms): {
  terms: SignalTerms;
  faults: Fault[];
} {
  const terms: SignalTerms = {};
  const faults: Fault[] = [];
  const fault = (member: string, text: string | undefined) => {
    if (text !== undefined) faults.push({ pointer: `/${member}`, message: text });
    return text === undefined;
  };
  if (form !== undefined && form !== null) {
    const read = readShape(() => expandShape(form), MAX_FORM_BYTES);
    if ('schema' in read) terms.form = read.schema;
    else fault('form', read.problem);
  }
  if (approvers !== undefined && approvers !== null) {
    const list = [approvers].flat();
    if (fault('approvers', findApproversProblem(list))) terms.approvers = list as string[];
  }
  if (message !== undefined && message !== null) {
    const text = typeof message === 'string' ? message.trim() : '';
    const fits = text !== '' && [...text].length <= MAX_MESSAGE_POINTS && !text.includes('\0');
    if (fault('message', fits ? undefined : `must be a text of 1 to ${MAX_MESSAGE_POINTS} characters`))
      terms.message = text;
  }
  if (envelope === true) terms.envelope = true;
  return { terms, faults };
}

function findApproversProblem(approvers: readonly unknown[]): string | undefined {
  if (approvers.length === 0 || approvers.length > MAX_APPROVERS) return `must contain 1 to ${MAX_APPROVERS} approvers`;
  const wrong = approvers.find((approver) => typeof approver !== 'string' || !USER_NAME.test(approver));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong).slice(0, 80)} is neither a role (${APPROVER_ROLES.join(', ')}) nor the name of a user`;
}

/** Whether a person may answer a wait with these approvers. */
export async function mayAnswer(approver: Approver | undefined, { approvers }: SignalTerms): Promise<boolean> {
  if (approvers === undefined) return true;
  if (approver === undefined) return false;
  for (const one of approvers) if (isRole(one) ? await approver.holds(one) : one === approver.name) return true;
  return false;
}
