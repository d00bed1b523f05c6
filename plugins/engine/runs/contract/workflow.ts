import { extensionPoint, type JsonSchema, type CachedReads, type Scope } from '../../../../kernel/contracts/index.ts';
import { withDefinitions } from '../../../platform/schema/contract.ts';
import type { CheckoutOptions as Options, Workflow as Body } from '../generated/workflow.ts';
import workflowSchema from '../schema/workflow.schema.json' with { type: 'json' };
import type { RunConcurrency } from './concurrency.ts';
import type { Coordination } from './coordination.ts';
import type { IncludedFile } from './files.ts';
import type { OutlineItem } from './outline.ts';
import type { Json } from './run.ts';

/** Members of a body that say what runs. Exactly one of them is given. */
export const REFERENCE_FORMS = ['source', 'graph', 'node', 'function'] as const;
export type ReferenceForm = (typeof REFERENCE_FORMS)[number];

/** Which commit of a repository a program begins with, and how much of it. */
export type CheckoutOptions = Pick<Options, keyof Options>;

/** What runs and how, as in a request body. */
export interface Workflow extends Omit<Body, 'input' | 'config' | 'checkout'> {
  input?: Json;
  checkout?: boolean | CheckoutOptions;
  config?: { [name: string]: Json };
}

/** A body schema that refers to `workflow.schema.json`, with that schema included. */
export const withWorkflow = (schema: JsonSchema): JsonSchema => withDefinitions(schema, { workflow: workflowSchema });

/** 1 MiB of document and 2 MiB of input. JSON may write each of their bytes as six (`\u0001`). */
export const WORKFLOW_BODY_LIMIT = 20 * 1024 * 1024;

/** What shall run: an inline document, or a reference that a kind resolves to a document. */
export type WorkflowReference = Pick<
  Workflow,
  'kind' | 'filename' | 'source' | 'graph' | 'node' | 'function' | 'config'
>;

/**
 * How a document is recognised as one of a kind: first by version, then by file ending, then by the kind that accepts
 * anything.
 */
export interface DocumentMarks {
  /** File name endings in lower case: `.yml`. */
  endings?: readonly string[];
  /** The member `version` of a document that is a JSON object: `svc-graph/v1`. */
  versions?: readonly string[];
  /**
   * Accepts every document that no other kind recognises, except documents of the service's own languages, whether or
   * not a plugin brings their kind.
   */
  anything?: true;
}

/** A kind of workflow: recognises its documents, checks them, and plans the first activities of a run. */
export interface WorkflowKind {
  /** Short name: `script`, `pipeline`, `graph`, `node`. */
  kind: string;
  /** The versioned type, e.g. `svc/script/v1`. */
  type: string;
  /** How its documents are recognised when the request names no kind. */
  marks: DocumentMarks;
  /** Forms besides an inline document that `resolve` accepts: `graph`, `node`, `function`. Each form belongs to one kind. */
  references?: readonly Exclude<ReferenceForm, 'source'>[];
  /** True when a submit may map credentials to variables. Otherwise documents of this kind name their own. */
  takes_credentials: boolean;
  /** True when a submit may give its program arguments. */
  takes_arguments?: true;
  /** True when files may lie beside its program. */
  takes_files?: true;
  /** True when its program can begin with a repository because the submit says so. */
  takes_checkout?: true;
  /** True when its only activity replays a journal, so that a rerun may begin at any site. */
  replays: boolean;
  /** The executor of such activities: a job of another kind that has it can be rerun from a site too. */
  executor?: string;
  /**
   * The document that a reference means now. The run stores the text and the pin, so that a rerun runs the same. Reads
   * only through `on`, which may be a transaction; the org's keys are ready. Throws a ServiceError below 500 when there
   * is no such document.
   */
  resolve?(on: Reading, scope: Scope, reference: WorkflowReference): Promise<PinnedDocument>;
  /** Faults with their position in the source; empty when there is none. Called outside of transactions. */
  check(scope: Scope, document: WorkflowDocument): Promise<Problem[]>;
  /** Looks closer at a document without faults, for `svc check` only: a submit is not refused for what is found. */
  review?(scope: Scope, document: WorkflowDocument): Promise<Review>;
  /**
   * What a run of the document may do, read from its text without running anything; what the text does not show is listed as
   * `unknown`. The document may be invalid by now. Called outside of transactions. Absent: nothing is known of its documents.
   */
  outline?(scope: Scope, document: WorkflowDocument): Promise<readonly OutlineItem[]>;
  /**
   * The JSON Schema, as text, of the input that a document declares; undefined: it takes any input. The document was checked.
   * Reads only through `on`.
   */
  inputSchema?(on: Reading, scope: Scope, document: WorkflowDocument): Promise<string | undefined>;
  /**
   * What the run begins with. The document was checked now or at its registration. Reads only through `on`, which may
   * be a transaction. Throws a ServiceError below 500 when it can no longer run.
   */
  plan(on: Reading, scope: Scope, document: WorkflowDocument): Promise<WorkflowPlan>;
}

/** The database or a transaction: kinds only read. */
export type Reading = CachedReads;

/** The stored document of a run, kept for information; it is never looked up again. */
export interface WorkflowPin {
  form: Exclude<ReferenceForm, 'source'>;
  name: string;
  /** Absent for a name without versions, like a single node. */
  version?: number;
}

/** The document of a run and its origin. */
export interface PinnedDocument {
  /** The complete document for later checks and plans. */
  source: string;
  /** Shown as the run's workflow; absent: the kind. */
  workflow?: string;
  /** Absent: the document was given inline. */
  pin?: WorkflowPin;
}

/** What a check looks at. */
export interface CheckedDocument extends Workflow {
  /** A document that was resolved before, in place of the reference: a rerun runs the same. */
  pinned?: PinnedDocument;
}

export interface WorkflowDocument {
  filename: string | undefined;
  source: string;
  /** The stored document it was resolved from; absent: the source was given inline. */
  pin?: WorkflowPin;
  interpreter: string | undefined;
  /** Arguments of the program. */
  args?: readonly string[];
  /** What lies beside the program. */
  files?: readonly IncludedFile[];
  env: Record<string, string>;
  requires: string[];
  /** The repository that its program begins with; absent: none. */
  checkout?: boolean | CheckoutOptions;
  /** How the run starts; absent: nothing is planned. */
  start?: {
    event?: string;
    parent?: string;
    trusted: boolean;
    /**
     * Reads the run's input, or the payload of the event that starts it. Absent: the workflow is stored for events that are still
     * to come, and is only validated.
     */
    input?: () => Promise<Json>;
  };
}

export interface WorkflowPlan {
  /** The first activities; they are pending from the commit that creates the run. */
  activities: PlannedActivity[];
  /** Present: a coordinator decides what comes after these, and how the run ends. */
  coordination?: Coordination;
  /** Credentials that the document itself names: where in it, as a JSON pointer → the name. */
  named?: Readonly<Record<string, string>>;
  /** Files of the scripts that the document itself holds, and runs later. */
  files?: readonly IncludedFile[];
  /** What the document says of its run: `tags` and `cancel_on` add to those of the submit, others give way to it. */
  about?: {
    workflow?: string;
    subject?: string;
    tags?: readonly string[];
    cancel_on?: readonly string[];
    /** A duration such as `30m`. */
    timeout?: string;
    /** The group in which it waits for its turn before its first claim. */
    concurrency?: RunConcurrency | undefined;
    /** The priority of a run whose submit has none. */
    priority?: number | undefined;
    /** Capabilities that its activities require, shown with those of the submit. */
    requires?: readonly string[];
  };
}

export interface PlannedActivity {
  name: string;
  executor: string;
  spec: Json;
  requires: string[];
}

export interface Problem {
  line: number;
  column: number;
  message: string;
  code: string;
}

/** What a closer look at a document has found. */
export interface Review {
  /** Faults that only a program of this machine knows of; an agent may have another one. */
  problems: Problem[];
  /** What will probably not do what its author wants. */
  warnings: Problem[];
  /** What could not be looked at, and why. */
  notes: string[];
}

export const WorkflowKinds = extensionPoint<WorkflowKind>('runs.WorkflowKinds', { key: (kind) => kind.kind });
