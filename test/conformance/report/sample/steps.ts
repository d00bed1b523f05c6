import { Given } from '@cucumber/cucumber';
import { leftOut } from '../../../../features/support/left-out.ts';

Given('it passes', () => undefined);

Given('it fails with the secrets', () => {
  throw new Error('svc_pat_owner and svc_agt_other at https://ana:hush@svc.example\u0001 <b>bold</b>');
});

Given('its program is missing', function () {
  return leftOut(this, 'programs in fish, which is not installed');
});

Given('the server is killed', () => undefined);
