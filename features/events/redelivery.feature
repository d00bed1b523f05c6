@store @contract
Feature: Dead letters, and replaying many events

  Rule: A delivery that has failed permanently is a dead letter until it is delivered again or dismissed

    Scenario: dead letters are listed with their reason, delivered again by filter, and dismissed
      Given the handler "receipt" on "order.paid" runs "receipt.sh":
        """
        exit 3
        """
      When somebody emits "order.paid" with '{"key": "one"}'
      And somebody emits "order.paid" with '{"key": "two"}'
      And the project comes to rest
      When I call "svc dead-letter ls --handler receipt --since 1h"
      Then standard output matches "^dlt_\S+ +receipt +order.paid +evt_\S+ +run_\S+ .*exit"
      When I send "GET" to "{scoped}/dead-letters?type=order.paid&handler=receipt"
      Then the answer lists 2 "dead_letters"
      When I send "GET" to "{scoped}/summary"
      Then "attention.0.state" of the answer is "dead_letters"
      Given a file "receipt.sh":
        """
        echo "receipt for $(svc input key)"
        """
      When I call "svc handler set receipt receipt.sh --on order.paid"
      And I call "svc events replay --failed --handler receipt --dry-run"
      Then standard error has "2 deliveries"
      When I call "svc events replay --failed --handler receipt --idempotency-key once"
      Then standard error has "done: 2 runs started"
      And the project comes to rest
      When I call "svc events replay --failed --handler receipt --idempotency-key once"
      Then standard error has "this is the first replay"
      When I call "svc dead-letter ls"
      Then standard error has "no dead letters"
      When I send "GET" to "{scoped}/audit?action=event.replay_many"
      Then "entries.0.detail" of the answer matches "dead letters, handler receipt"

    Scenario: one dead letter is delivered again, and others are dismissed
      Given the handler "receipt" on "order.*" runs "receipt.sh":
        """
        exit 3
        """
      When somebody emits "order.paid" with "{}"
      And somebody emits "order.sent" with "{}"
      And the project comes to rest
      And I send "GET" to "{scoped}/dead-letters?type=order.sent"
      Then the answer lists 1 "dead_letters"
      And "dead_letters.0.dead_letter" of the answer is noted as "sent"
      When I call "svc dead-letter redeliver {sent}"
      Then standard output matches "^run_[0-9A-Z]{26}$"
      When the project comes to rest
      And I send "GET" to "{scoped}/dead-letters?type=order.sent"
      Then the answer lists 1 "dead_letters"
      And "dead_letters.0.dead_letter" of the answer is noted as "again"
      When I call "svc dead-letter redeliver {sent}"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc dead-letter dismiss {again}"
      And I call "svc dead-letter dismiss --handler receipt --before 2100-01-01"
      Then standard output is "1"
      When I send "GET" to "{scoped}/dead-letters"
      Then the answer lists 0 "dead_letters"

  Rule: Recorded events of a type are delivered again to the handlers that match them now

    Scenario: a new handler gets the events from before its registration, and declines those that it does not match
      When somebody emits "order.paid" with '{"payload": {"total": 5}}'
      And somebody emits "order.paid" with '{"payload": {"total": 50}}'
      And somebody emits "order.sent" with '{"payload": {"total": 50}}'
      Given a file "ledger.sh":
        """
        svc input total
        """
      When I call "svc handler set ledger ledger.sh --on 'order.*' --when 'event.payload.total > 10'"
      And I call "svc events replay --type 'order.*' --since 1h"
      Then standard error has "done: 2 runs started, 1 declined"
      And the project comes to rest
      When I call "svc events replay --type order.paid --handler absent"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc events replay --since 1h"
      Then it exits with 2
      When I call "svc events replays --json"
      Then standard output is JSON whose "event_replays.0.delivered" is "2"
