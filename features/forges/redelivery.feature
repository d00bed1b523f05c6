@contract
Feature: Overlapping webhook secrets and redeliveries

  Rule: A webhook's old secret stays valid for the time that the rotation sets

    Scenario: deliveries signed with the old secret are still accepted
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      When I call "svc webhook rotate site --overlap 1h"
      Then standard output matches "^secret +[A-Za-z0-9_-]{43}$"
      And standard error has "the old one is valid until"
      When I send "GET" to "{scoped}/webhooks/site"
      Then "old_secret_until" of the answer is noted as "until"
      When forge_a delivers "ping" to "site":
        """
        {"zen": "once", "repository": {"full_name": "acme/site"}}
        """
      Then the answer is 202
      And the header "x-svc-old-secret-until" of the answer is "{until}"
      When I send "GET" to "{scoped}/webhooks/site"
      Then "last_old_secret_use" of the answer matches "Z$"
      When I call "svc webhook rotate site --end-overlap"
      And forge_a delivers "ping" to "site":
        """
        {"zen": "again", "repository": {"full_name": "acme/site"}}
        """
      Then the answer is 401 with code "signature_invalid"

  Rule: A delivery is recorded again with the trust it had

    Scenario: an issue opened by an outsider is recorded again
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      When forge_a delivers "issues" to "site" as "delivery-1":
        """
        {"action": "opened", "issue": {"author_association": "NONE"}, "repository": {"full_name": "acme/site"}}
        """
      And the event of the delivery is looked at
      Then "trusted" of the answer is "false"
      And "event" of the answer is noted as "first"
      When I call "svc webhook deliveries site"
      Then standard output matches "^dlv_\S+ +\S+ +recorded +{first} +forge.issues$"
      When I send "GET" to "{scoped}/webhooks/site/deliveries"
      Then "deliveries.0.sent_id" of the answer is "delivery-1"
      And "deliveries.0.delivery" of the answer is noted as "delivery"
      When I call "svc webhook redeliver site {delivery} --json"
      Then standard output is JSON whose "redelivery_of" is "{delivery}"
      And there are 2 events "forge.issues"
      And "trusted" of the last event "forge.issues" is "false"
      And "key" of the last event "forge.issues" is "acme/site"
      And "fields.redelivery_of" of the last event "forge.issues" is "{first}"
