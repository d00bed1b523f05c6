import { Errors } from '../../../kernel/contracts/index.ts';

/** Does one server at a time number the events of a project? `auto`: when the database's nodes certify transactions. */
export type Sequencing = 'auto' | 'on' | 'off';

/** Reads SVC_EVENT_SEQUENCER; unset it is `auto`. Throws `setting_invalid`. */
export function sequencingOf(text = 'auto'): Sequencing {
  if (text === 'auto' || text === 'on' || text === 'off') return text;
  throw Errors.settingInvalid(`SVC_EVENT_SEQUENCER is "${text}"; it must be auto, on or off`);
}
