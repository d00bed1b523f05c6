import { defineError } from '../../../kernel/contracts/index.ts';

export const wakeSettingInvalid = defineError({
  code: 'wake_setting_invalid',
  status: 500,
  title: 'SVC_WAKE_URL has an invalid value.',
  next: 'Write it like nats://user:password@host:4222, with several servers separated by commas. Remove the variable to let servers poll.',
});
