@contract
Feature: Replaying an event

  Rule: A recorded event can be delivered again to one handler

    @store
    Scenario: an event is replayed after the handler was corrected, once per request
      Given the handler "receipt" on "order.paid" runs "receipt.sh":
        """
        exit 3
        """
      When somebody emits "order.paid" with '{"key": "shop", "payload": {"total": 12}}'
      And the project comes to rest
      Then the run of "receipt" is "failed"
      Given a file "receipt.sh":
        """
        echo "$(svc input total) of $CI_TRIGGER_EVENT"
        """
      When I call "svc handler set receipt receipt.sh --on order.paid --when 'event.payload.total > 100'"
      And I call "svc events replay {event} --handler receipt"
      Then it exits with 1
      And standard error has "the predicate is false"
      When I call "svc events replay {event} --handler receipt --force --idempotency-key once"
      Then standard output matches "^run_[0-9A-Z]{26}$"
      When I look at the run on standard output
      Then the run succeeds
      And the log is:
        """
        12 of order.paid
        """
      And "subject" of the run is "shop"
      And "generation" of the run is "1"
      When I call "svc events replay {event} --handler receipt --force --idempotency-key once"
      Then standard error has "this is the first replay"
      When I call "svc events show {event}"
      Then standard output matches "^handler receipt +delivered \(forced\) +\S+ by \S+ +run_"
      And standard output matches "^handler receipt +declined +\S+ by \S+ +the predicate is false"
      When I send "GET" to "{scoped}/audit?action=event.replay"
      Then "entries.0.subject" of the answer is "{event}"
      And "entries.1.subject" of the answer is "{event}"

    Scenario: a replay to an unknown handler, or one that does not match the type, is rejected
      Given the handler "receipt" on "order.paid" runs "receipt.sh":
        """
        true
        """
      When somebody emits "other" with "{}"
      And I call "svc events replay {event} --handler receipt"
      Then it exits with 1
      And standard error has "no pattern of the handler matches the type other"
      When I call "svc events replay {event} --handler absent"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc events replay {event}"
      Then it exits with 2
