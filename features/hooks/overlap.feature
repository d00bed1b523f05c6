@contract
Feature: Overlapping hook secrets and redeliveries

  Rule: A hook's old secret stays valid for the time that the rotation sets

    Scenario: senders have a day to change, and the hook shows whether its old secret is still used
      When I call "svc event-hook set builds --event-type build.done --json"
      And its address and secret are noted from standard output
      And I call "svc event-hook rotate builds --overlap 24h"
      Then standard output matches "^secret +[A-Za-z0-9_-]{43}$"
      And standard error has "the old one is valid until"
      When I call "svc event-hook show builds"
      Then standard output matches "^last used +the old secret has not been used since the rotation$"
      When I send "GET" to "{scoped}/event-hooks/builds"
      Then "old_secret_until" of the answer is noted as "until"
      Given a delivery of '{"n":1}' as "application/json"
      When it is delivered with the secret
      Then it became an event "build.done" with '{"body":{"n":1},"query":{}}'
      And the header "x-svc-old-secret-until" of the answer is "{until}"
      When I call "svc event-hook show builds"
      Then standard output matches "^old secret until +{until}$"
      And standard output matches "^last used +\d{4}-"
      When I call "svc event-hook deliveries builds"
      Then standard output matches "^dlv_\S+ +\S+ +recorded +{event} +build.done +with the old secret$"
      When I call "svc event-hook rotate builds --end-overlap"
      Then standard error has "Ended the old secret of event hook builds"
      And standard output lacks "secret "
      When it is delivered with the secret
      Then the answer is 401 with code "hook_secret_wrong"

    Scenario: an overlap lasts at most 30 days and can be set only by a rotation
      Given the event hook "builds" with '{"event_type": "build.done"}'
      When I call "svc event-hook rotate builds --overlap 31d"
      Then it exits with 1
      And standard error has "overlap must be 1s to 30d"
      When I call "svc event-hook rotate builds --overlap 1h --end-overlap"
      Then it exits with 2

  Rule: Deliveries are listed and can be recorded again

    @store
    Scenario: a recorded delivery can be repeated, and a rejected one cannot
      Given the handler "note" on "build.done" runs "note.sh":
        """
        echo "again of $(svc input --envelope redelivery_of --default nothing)"
        """
      And the event hook "builds" with '{"event_type": "build.done"}'
      And a delivery of '{"n":10.00}' as "application/json"
      When it is delivered with the secret
      And it is delivered to "{ingest}"
      Then the answer is 401 with code "hook_secret_missing"
      And 2 deliveries of the hook "builds" are soon listed
      When I send "GET" to "{scoped}/event-hooks/builds/deliveries"
      Then "deliveries.0.outcome" of the answer is "refused"
      And "deliveries.0.code" of the answer is "hook_secret_missing"
      And "deliveries.0.delivery" of the answer is noted as "refused"
      And "deliveries.1.event_type" of the answer is "build.done"
      And "deliveries.1.event" of the answer is noted as "event"
      And "deliveries.1.delivery" of the answer is noted as "delivery"
      When I call "svc event-hook redeliver builds {delivery} --idempotency-key once"
      Then standard output matches "^evt_[0-9A-Z]{26}$"
      And there are 2 events "build.done"
      When the project comes to rest
      Then the run of "note" is "succeeded"
      And the log is:
        """
        again of {event}
        """
      When I call "svc event-hook redeliver builds {delivery} --idempotency-key once"
      Then standard error has "this is the event from its first use"
      And there are 2 events "build.done"
      When I call "svc event-hook deliveries builds --limit 1"
      Then standard output matches "{delivery} redelivered by \S"
      When I call "svc event-hook redeliver builds {refused}"
      Then it exits with 1
      And standard error has "delivery_gone"
      When I send "GET" to "{scoped}/audit?action=hook.redeliver"
      Then "entries.0.subject" of the answer is "builds"
