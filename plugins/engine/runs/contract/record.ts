import schema from '../schema/journal-record.schema.json' with { type: 'json' };

/** The single definition of a journal record. The store checks records against it; agents and verbs use its limits. */
export const journalRecordSchema = schema;

const { properties: bounds } = schema;

/** Characters of a call's name in the journal. Verbs derive it from their arguments. */
export const MAX_RECORD_NAME_LENGTH = bounds.name.maxLength;
/** Characters of the name of a step or child in a workflow. */
export const MAX_CALL_NAME_LENGTH = 200;
export const MAX_LABEL_LENGTH = bounds.label.maxLength;
export const MAX_MESSAGE_LENGTH = bounds.message.maxLength;
/** Exit codes as the shell has them. */
export const MAX_EXIT_CODE = bounds.exit_code.maximum;
/** Bytes of output that the record of a step holds. */
export const MAX_STEP_OUTPUT_BYTES = 2 * 1024 * 1024;
/** Bytes of output of a record that an agent or a verb makes. */
export const MAX_RECORD_OUTPUT_BYTES = (bounds.output.maxLength / 4) * 3;
/** The same for a wait, whose outcome the service makes: it may hold a whole event as a hook delivered it. */
export const MAX_WAIT_OUTPUT_BYTES = 13 * 1024 * 1024 + 64 * 1024;
/** Bytes of the arguments of a call, as JSON. */
export const MAX_ARGS_BYTES = 4 * 1024 * 1024;
