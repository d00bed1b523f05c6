@contract
Feature: Manual ticks of schedules

  Rule: A manual tick differs from a regular tick only in its time

    Scenario: a manual tick runs now, records who requested it, and does not change later due times
      Given a file "backup.sh":
        """
        echo "$CI_TRIGGER_EVENT $CI_TRIGGER_SCHEDULE"
        """
      When I call "svc schedule set nightly '0 0 1 1 *' backup.sh --subject db"
      And I call "svc schedule trigger nightly --idempotency-key once"
      Then standard output matches "^run_[0-9A-Z]{26}$"
      When I look at the run that the schedule "nightly" has started
      Then the run succeeds
      And the log is:
        """
        schedule.tick nightly
        """
      And "subject" of the run is "db"
      When I send "GET" to "{scoped}/events?type=schedule.tick"
      Then "events.0.key" of the answer is "db"
      And "events.0.event" of the answer is noted as "tick"
      When I send "GET" to "{scoped}/events/{tick}"
      Then "payload.schedule" of the answer is "nightly"
      And "payload.triggered" of the answer is "true"
      And "payload.triggered_by" of the answer matches "."
      When I send "GET" to "{scoped}/schedules/nightly"
      Then "next_due" of the answer matches "-01-01T00:00:00.000Z$"
      And "last_tick.event" of the answer is "{tick}"
      And "last_tick.triggered_by" of the answer matches "."
      When I call "svc schedule trigger nightly --idempotency-key once --json"
      Then standard output is JSON whose "event" is "{tick}"
      And standard output is JSON whose "duplicate" is "true"
      When I send "GET" to "{scoped}/audit?action=schedule.trigger"
      Then "entries.0.subject" of the answer is "nightly"
      And "entries.0.detail" of the answer is "{tick}"

    Scenario: without a workflow, a manual tick only emits an event, and an unknown schedule is rejected
      When I call "svc schedule set pulse '@yearly'"
      And I call "svc schedule trigger pulse"
      Then standard output matches "^evt_[0-9A-Z]{26}$"
      And there is 1 event "schedule.tick"
      When I call "svc schedule trigger absent"
      Then it exits with 1
      And standard error has "not_found"

  Rule: A paused schedule does not tick until it is resumed

    Scenario: a schedule is paused, triggered manually and resumed
      When I call "svc schedule set pulse '* * * * * *' --paused"
      And I call "svc schedule resume pulse"
      Then standard output matches "^\d{4}-\d\d-\d\dT"
      And standard error has "Resumed schedule pulse"
      When the schedule "pulse" has ticked
      And I call "svc schedule pause pulse"
      Then standard error has "Paused schedule pulse"
      When I call "svc schedule ls"
      Then standard output matches "^pulse .* paused since \d{4}-\d\d-\d\dT\S+ by \S+"
      When I send "GET" to "{scoped}/schedules/pulse"
      Then "paused" of the answer is "true"
      And "paused_since" of the answer is noted as "since"
      When I call "svc schedule pause pulse"
      And I send "GET" to "{scoped}/schedules/pulse"
      Then "paused_since" of the answer is "{since}"
      When I call "svc schedule trigger pulse"
      And I send "GET" to "{scoped}/schedules/pulse"
      Then "last_tick.triggered_by" of the answer matches "."
      And "paused" of the answer is "true"
      When I call "svc schedule show pulse"
      Then standard output matches "^next due +paused since"
      And standard output matches "^triggered by +\S"
