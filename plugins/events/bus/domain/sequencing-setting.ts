import { Errors } from '../../../../kernel/contracts/index.ts';

/**
 * Whether only one server at a time numbers the events of a project. `auto` means when the database's nodes certify
 * transactions.
 */
export type Sequencing = 'auto' | 'on' | 'off';

/** Parses SVC_EVENT_SEQUENCER; the default is `auto`. Throws `setting_invalid`. */
export function parseSequencing(text = 'auto'): Sequencing {
  if (text === 'auto' || text === 'on' || text === 'off') return text;
  throw Errors.settingInvalid(`SVC_EVENT_SEQUENCER is "${text}"; it must be auto, on or off`);
}
