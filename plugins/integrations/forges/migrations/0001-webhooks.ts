import { migration } from '../../../../kernel/contracts/index.ts';

/*
 * forges_webhooks: `webhook_id` stands in the delivery URL and stays for life, as does `secret` (sealed) until it is
 * rotated; `revision` is another at every replacement. `hook_id` is what the forge calls a webhook that was registered
 * there; NULL beside `auto_register` while that is under way. `workflow` is sealed JSON; `about` (its kind and file
 * name) and `credentials` (variable → name) are what must be told without opening it.
 */
export const webhookTables = migration('0001-webhooks', [
  `CREATE TABLE forges_webhooks (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    org {name} NOT NULL,
    project {name} NOT NULL,
    webhook_id {id} NOT NULL,
    revision {id} NOT NULL,
    forge {id} NOT NULL,
    repo {name} NOT NULL,
    api_base {text},
    credential {id},
    auto_register {flag} NOT NULL,
    hook_id {name},
    secret {blob} NOT NULL,
    workflow {blob},
    about {text},
    credentials {text},
    created_at {ms} NOT NULL,
    set_at {ms} NOT NULL,
    set_by {id},
    PRIMARY KEY (project_id, name)
  ){end}`,
  'CREATE UNIQUE INDEX forges_webhooks_address ON forges_webhooks (webhook_id)',
  'CREATE INDEX forges_webhooks_newest ON forges_webhooks (project_id, webhook_id)',
]);
